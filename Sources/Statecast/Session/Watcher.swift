import HTTPServer
import Sockets

/// One stream on a projection.
final class Watcher: StreamSource {
    /// How events are written.
    enum Format: UInt8 {
        /// `text/event-stream`
        case events
        /// `application/x-ndjson`
        case lines
    }

    let session: Session
    let projection: Projection
    let format: Format
    /// Whether the stream ends where its part leaves the state.
    let endsOutOfScope: Bool
    var stream: OutgoingStream?
    /// Its place among the watchers of its projection.
    var index = 0
    /// A change was passed over because the client is slow; the newest state follows.
    var isStale = false

    init(session: Session, projection: Projection, format: Format, endsOutOfScope: Bool) {
        self.session = session
        self.projection = projection
        self.format = format
        self.endsOutOfScope = endsOutOfScope
    }

    /// Whether something sent now would not wait behind a state that the client has no room for.
    var hasRoom: Bool { !(stream?.isBlocked ?? true) }

    func streamDrained(on loop: isolated EventLoop) {
        guard isStale, !session.isEnded else { return }
        isStale = false
        session.sendState(to: self, on: loop)
    }

    func streamClosed(on loop: isolated EventLoop) {
        session.remove(self)
    }
}
