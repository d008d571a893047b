import HTTPServer
import Sessions

/// The frames of one version for clients that go on by patches, each made once: one for each value that
/// clients go on from, and a snapshot, in both formats.
struct PatchFrames {
    private struct Key: Equatable {
        /// The version since which the value was shown that clients go on from; nil: they are sent a
        /// snapshot, or that there is nothing to show.
        let start: UInt64?
        let format: StreamWatcher.Format
    }

    /// What decides which frame a client is sent.
    private struct Asked: Equatable {
        let shown: UInt64?
        let format: StreamWatcher.Format

        init(by watcher: StreamWatcher) { (shown, format) = (watcher.shown, watcher.format) }
    }

    /// The most frames that are kept. Clients that keep up share one; slow ones need more.
    private static let greatestCount = 16

    private var frames: [(key: Key, frame: StreamFrame)] = []
    /// The frame that was asked for last: most clients keep up, and ask for the same one after the
    /// other.
    private var lastFrame: StreamFrame?
    /// What the client was shown that asked for it, in which format.
    private var lastAsked: Asked?

    /// The frame that brings a client to the present value, where the one before it was sent the same.
    func sameFrame(for watcher: StreamWatcher) -> StreamFrame? {
        Asked(by: watcher) == lastAsked ? lastFrame : nil
    }

    /// The frame that brings a client to the present value.
    mutating func frame(for watcher: StreamWatcher, _ tag: () -> [UInt8]) -> StreamFrame {
        let frame = findFrame(for: watcher, tag)
        lastFrame = frame
        lastAsked = Asked(by: watcher)
        return frame
    }

    private mutating func findFrame(
        for watcher: StreamWatcher, _ tag: () -> [UInt8]
    ) -> StreamFrame {
        let start = watcher.shown.flatMap { watcher.projection.start(of: $0) }
        guard let start else { return snapshot(for: watcher, tag) }
        let key = Key(start: start, format: watcher.format)
        if let known = find(key) { return known }
        let version = watcher.session.version
        let made =
            switch watcher.projection.catchUp(from: start) {
            case .upToDate: EventFrames.id(tag(), version, watcher.format)
            case .patch(let from, let operations):
                EventFrames.patch(operations, from: from, tag(), version, watcher.format)
            case .snapshot: snapshot(for: watcher, tag)
            }
        keep(made, key)
        return made
    }

    private mutating func snapshot(
        for watcher: StreamWatcher, _ tag: () -> [UInt8]
    ) -> StreamFrame {
        let key = Key(start: nil, format: watcher.format)
        if let known = find(key) { return known }
        let version = watcher.session.version
        let made =
            if let json = watcher.projection.json {
                EventFrames.snapshot(json, tag(), version, watcher.format)
            } else {
                EventFrames.state(nil, tag(), version, watcher.format)
            }
        keep(made, key)
        return made
    }

    private func find(_ key: Key) -> StreamFrame? { frames.first { $0.key == key }?.frame }

    private mutating func keep(_ frame: StreamFrame, _ key: Key) {
        if frames.count >= Self.greatestCount { frames.removeFirst() }
        frames.append((key, frame))
    }
}
