import Bytes
import HTTPServer
import Redux
import Sessions
import Sockets

/// One stream that watches a projection of a session.
///
/// A server has very many of these: what few of them have is in a box, and the order of the fields
/// leaves no gaps.
final class StreamWatcher: StreamSource {
    /// The formats of events.
    enum Format {
        /// `text/event-stream`
        case events
        /// `application/x-ndjson`
        case lines
    }

    /// What is sent of each change.
    enum Mode {
        /// The new value.
        case states
        /// The patch that leads to the new value, or a snapshot (`?patch=json-patch`).
        case patches
    }

    private struct Traits: OptionSet {
        let rawValue: UInt8

        /// The stream ends where its part leaves the state.
        static let endsOutOfScope = Traits(rawValue: 1 << 0)
        static let isClosed = Traits(rawValue: 1 << 1)
        static let isStale = Traits(rawValue: 1 << 2)
        static let isNew = Traits(rawValue: 1 << 3)
    }

    /// Those who ask about the principal of a stream, or are told of it.
    private final class Observers {
        var facts: SessionFacts?
        var check: StreamCheck?
    }

    let session: Session
    /// The one who watches.
    private(set) var principal: Principal
    private(set) var projection: Projection
    var stream: OutgoingStream?
    /// Nil for most streams.
    private var observers: Observers?
    /// The version at which the client was shown its value; nil where it has none to go on from.
    private(set) var shown: UInt64?
    let format: Format
    let mode: Mode
    private var traits: Traits
    private var place: UInt32 = 0

    init(
        session: Session, projection: Projection, by principal: Principal, format: Format,
        mode: Mode, endsOutOfScope: Bool
    ) {
        self.session = session
        self.principal = principal
        self.projection = projection
        self.format = format
        self.mode = mode
        traits = endsOutOfScope ? .endsOutOfScope : []
    }

    /// Tells the application that the principal watches; nil where it does not ask, or was told.
    var facts: SessionFacts? {
        get { observers?.facts }
        set {
            if newValue != nil { observers = observers ?? Observers() }
            observers?.facts = newValue
        }
    }

    /// Asks access control about the principal again and again; nil where nothing asks.
    var check: StreamCheck? {
        get { observers?.check }
        set {
            if newValue != nil { observers = observers ?? Observers() }
            observers?.check = newValue
        }
    }

    /// Its place among the watchers of its projection.
    var index: Int {
        get { Int(place) }
        set { place = UInt32(newValue) }
    }

    /// The stream has closed.
    var isClosed: Bool { traits.contains(.isClosed) }
    /// A change was passed over because the client is slow; the newest state follows.
    var isStale: Bool { traits.contains(.isStale) }
    /// The client was moved to its projection, of which it was sent nothing yet.
    var isNew: Bool { traits.contains(.isNew) }

    /// Something sent now would not wait behind a state that the client has no room for.
    var hasRoom: Bool { !(stream?.isBlocked ?? true) }

    /// Another principal watches from now on.
    func become(_ principal: Principal) {
        self.principal = principal
    }

    /// The clients among which it is; nil once it is none of them any more.
    var audience: Audience? {
        guard let audience = Audience.known(of: projection), audience.contains(self) else {
            return nil
        }
        return audience
    }

    /// The client watches another projection, which it is sent next.
    func begin(with projection: Projection) {
        self.projection = projection
        traits.insert(.isNew)
        shown = nil
    }

    /// The client has the value that it was shown at a version.
    func goOn(from version: UInt64?) { shown = version }

    // MARK: Sending

    /// Sends a change, or remembers that it was passed over: more than `most` bytes wait.
    ///
    /// - Parameter isInScope: there is something to show.
    func sendChange(
        isInScope: Bool, _ frame: () -> StreamFrame, waitingBehind most: Int,
        on loop: isolated EventLoop
    ) {
        traits.remove(.isNew)
        switch stream?.offer(waitingBehind: most, frame, on: loop) {
        case .taken:
            traits.remove(.isStale)
            note(isInScope: isInScope, on: loop)
        case .skipped: traits.insert(.isStale)
        case .over, nil: break
        }
    }

    /// Sends the projection as it is now, or that it is out of scope.
    func sendState(on loop: isolated EventLoop) {
        guard stream != nil else { return }
        traits.remove(.isNew)
        stream?.send(Audience.of(projection).frame(for: self), on: loop)
        note(isInScope: projection.byteCount != nil, on: loop)
    }

    /// The projection is made, also one that the client was moved to. A session that is frozen makes none:
    /// what its streams show stays as it was.
    private func isMade() -> Bool {
        do throws(Refusal) {
            _ = try session.isInScope(projection)
            return true
        } catch {
            return false
        }
    }

    /// Sends the projection that the client was moved to; a slow client is sent it once all that waits
    /// has gone.
    func sendContent(_ limits: SessionLimits, on loop: isolated EventLoop) {
        traits.remove(.isNew)
        guard isMade() else { return }
        sendChange(
            isInScope: projection.byteCount != nil, { Audience.of(projection).frame(for: self) },
            waitingBehind: limits.watcherByteCount, on: loop)
    }

    /// As above, or its id alone where the client has the same JSON already.
    func sendContent(
        insteadOf shown: SharedBytes?, _ limits: SessionLimits, on loop: isolated EventLoop
    ) {
        guard isMade(), !isStale, projection.json?.bytes == shown?.bytes else {
            return sendContent(limits, on: loop)
        }
        traits.remove(.isNew)
        noteShown(isInScope: projection.byteCount != nil)
        sendID(on: loop)
    }

    /// The client was sent this.
    private func note(isInScope: Bool, on loop: isolated EventLoop) {
        noteShown(isInScope: isInScope)
        if traits.contains(.endsOutOfScope), !isInScope { stream?.finish(on: loop) }
    }

    /// The client has this.
    private func noteShown(isInScope: Bool) {
        if mode == .patches { shown = isInScope ? session.version : nil }
    }

    /// Sends the version alone: the client knows the state.
    func sendID(on loop: isolated EventLoop) {
        send(.version, on: loop)
    }

    /// Sends an event without content.
    func sendControl(_ name: String, on loop: isolated EventLoop) {
        send(.control(name), on: loop)
    }

    private func send(_ event: StreamEvent, on loop: isolated EventLoop) {
        stream?.send(event.frame(session.tag(projection), session.version, format), on: loop)
    }

    /// Ends the stream with an event that says why.
    func end(_ reason: String, on loop: isolated EventLoop) {
        sendControl(reason, on: loop)
        stream?.finish(on: loop)
    }

    // MARK: The stream

    func streamDrained(on loop: isolated EventLoop) {
        guard isStale, !session.isEnded, isMade() else { return }
        traits.remove(.isStale)
        sendState(on: loop)
    }

    func streamClosed(on loop: isolated EventLoop) {
        traits.insert(.isClosed)
        facts?.left(self, at: loop.now)
        check?.end(on: loop)
        guard let audience else { return }
        audience.remember(self)
        audience.remove(self)
        session.add(watchers: -1, to: projection)
    }
}
