import HTTPServer
import Sessions

/// The frames of one version for clients that go on by patches, each made once: for each version that
/// clients go on from, in both formats.
struct PatchFrames {
    private struct Key: Equatable {
        /// The version that a client was shown; nil: the client is sent a snapshot.
        let shown: UInt64?
        let format: StreamWatcher.Format
    }

    /// The most frames that are kept. Clients that keep up share one; slow ones need more.
    private static let greatestCount = 16

    private var frames: [(key: Key, frame: StreamFrame)] = []

    /// The frame that leads a client on.
    mutating func frame(for watcher: StreamWatcher, _ tag: () -> [UInt8]) -> StreamFrame {
        let key = Key(shown: watcher.shown, format: watcher.format)
        if let known = frames.first(where: { $0.key == key }) { return known.frame }
        let made = Self.make(for: watcher, tag())
        if frames.count < Self.greatestCount { frames.append((key, made)) }
        return made
    }

    private static func make(for watcher: StreamWatcher, _ tag: [UInt8]) -> StreamFrame {
        let (projection, version) = (watcher.projection, watcher.session.store.version)
        switch watcher.shown.map({ projection.catchUp(from: $0) }) ?? .snapshot {
        case .upToDate: return EventFrames.id(tag, version, watcher.format)
        case .patch(let from, let operations):
            return EventFrames.patch(operations, from: from, tag, version, watcher.format)
        case .snapshot:
            guard let json = projection.json else {
                return EventFrames.state(nil, tag, version, watcher.format)
            }
            return EventFrames.snapshot(json, tag, version, watcher.format)
        }
    }
}
