import Bytes
import HTTPMessages
import HTTPServer
import Sessions
import StateCoding

/// An event of a stream, whose bytes are in either format:
///
///     id: k3f9-42⏎data: {"a":1}⏎⏎                      {"token":"k3f9-42","version":42,"state":{"a":1}}⏎
enum StreamEvent {
    /// The value; nil: it is out of scope.
    case state(EncodedForm?)
    /// The value, for clients that go on by patches; whether it is of a view, and of which schema: by
    /// that a client knows whether a reducer of its own may go on from it.
    case snapshot(EncodedForm, isOfView: Bool, schema: Int)
    /// Operations that lead on from what was shown at any version from `from` on.
    case patch([UInt8], from: UInt64)
    /// The version alone: the client knows the state. Browsers take an id over and dispatch nothing.
    case version
    /// A name without content: `busy`, `end`, `ping`.
    case control(String)

    private var name: String? {
        switch self {
        case .state(nil): "out-of-scope"
        case .state, .version: nil
        case .snapshot: "snapshot"
        case .patch: "patch"
        case .control(let name): name
        }
    }

    private var contentByteCount: Int {
        switch self {
        case .state(let value): value?.byteCount ?? 0
        case .snapshot(let value, _, _): value.byteCount
        case .patch(let operations, _): operations.count
        case .version, .control: 0
        }
    }

    private func appendContent(to bytes: inout [UInt8]) {
        switch self {
        case .state(let value?), .snapshot(let value, _, _): value.append(to: &bytes)
        case .patch(let operations, _): bytes += operations
        case .state, .control: bytes.append(contentsOf: "{}".utf8)
        case .version: break
        }
    }

    private static let ping = StreamFrame(Array("event: ping\ndata: {}\n\n".utf8))

    /// The event of a version, with the tag of what the stream shows; empty: a control event tells no
    /// version.
    func frame(
        _ tag: [UInt8], _ version: UInt64, _ kind: StreamWatcher.Kind
    ) -> StreamFrame {
        if !kind.isLines, case .control("ping") = self { return Self.ping }
        return StreamFrame(capacity: contentByteCount + tag.count + 128) { bytes in
            if kind.isLines {
                writeLine(tag, version, to: &bytes)
            } else {
                writeEvent(tag, version, to: &bytes)
            }
        }
    }

    /// The beginning of an event stream.
    static func retry(milliseconds: Int) -> StreamFrame {
        StreamFrame(capacity: 24) { bytes in
            EventStreamEncoder.retry(milliseconds: milliseconds, into: &bytes)
        }
    }

    private func writeEvent(_ tag: [UInt8], _ version: UInt64, to bytes: inout [UInt8]) {
        if let name { EventStreamEncoder.name(name, into: &bytes) }
        if case .control = self {
        } else {
            EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: tag) }
        }
        switch self {
        case .version: break
        case .state, .control: EventStreamEncoder.data(into: &bytes, appendContent)
        case .snapshot, .patch:
            bytes.append(contentsOf: "data: {".utf8)
            writeMembers(version, to: &bytes)
        }
        EventStreamEncoder.end(into: &bytes)
    }

    private func writeLine(_ tag: [UInt8], _ version: UInt64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        if tag.isEmpty { return bytes.append(contentsOf: "\"event\":\"\(name ?? "")\"}\n".utf8) }
        if let name { bytes.append(contentsOf: "\"event\":\"\(name)\",".utf8) }
        bytes.append(contentsOf: "\"token\":\"".utf8)
        EventStreamEncoder.append(to: &bytes) { $0 += tag }
        bytes.append(contentsOf: "\",".utf8)
        writeMembers(version, to: &bytes)
    }

    /// `"from":42,"version":44,"ops":[…]}`, or `"version":44,"sees":"state","schema":1,"state":{…}}`, or
    /// without what a client sees by, or the version alone.
    private func writeMembers(_ version: UInt64, to bytes: inout [UInt8]) {
        var label = "state"
        if case .patch(_, let from) = self {
            label = "ops"
            bytes.append(contentsOf: "\"from\":\(from),".utf8)
        }
        bytes.append(contentsOf: "\"version\":\(version)".utf8)
        if case .snapshot(_, let isOfView, let schema) = self {
            let sees = isOfView ? "view" : "state"
            bytes.append(contentsOf: ",\"sees\":\"\(sees)\",\"schema\":\(schema)".utf8)
        }
        if contentByteCount > 0 {
            bytes.append(contentsOf: ",\"\(label)\":".utf8)
            EventStreamEncoder.append(to: &bytes, appendContent)
        }
        bytes.append(contentsOf: "}\n".utf8)
    }
}

/// The events of one version of a projection, each made once for all watchers that are sent the same.
struct Frames {
    /// What decides which event a watcher is sent; for patches, `from` is the version that clients go on
    /// from; nil: they are sent a snapshot, or that there is nothing to show.
    private typealias Key = (kind: StreamWatcher.Kind, from: UInt64?)

    /// The most frames that are kept. Clients that keep up share one; slow ones need more.
    private static let greatestCount = 16

    /// The version of the session; 0 where nothing was made yet.
    let version: UInt64
    /// The event that was asked for last, and by whom: most clients keep up, and ask for the same one
    /// after the other.
    private var last: (asked: Key, frame: StreamFrame)?
    /// For patches, by the version since which the value was shown that they go on from.
    private var frames: [(key: Key, frame: StreamFrame)] = []

    init(version: UInt64) {
        self.version = version
    }

    /// The event that brings a watcher of a projection to its present value.
    mutating func frame(for watcher: StreamWatcher) -> StreamFrame {
        let from = watcher.kind.hasPatches ? watcher.shown : nil
        let asked = Key(watcher.kind, from)
        if let last, last.asked == asked { return last.frame }
        var key = asked
        key.from = asked.from.flatMap { watcher.projection.start(of: $0) }
        let frame = find(key, for: watcher)
        last = (asked, frame)
        return frame
    }

    private mutating func find(_ key: Key, for watcher: StreamWatcher) -> StreamFrame {
        if let known = frames.first(where: { $0.key == key }) { return known.frame }
        let made = make(key, for: watcher)
        if frames.count >= Self.greatestCount { frames.removeFirst() }
        frames.append((key, made))
        return made
    }

    private mutating func make(_ key: Key, for watcher: StreamWatcher) -> StreamFrame {
        let (projection, session) = (watcher.projection, watcher.session)
        let event: StreamEvent
        switch key.from.map({ projection.catchUp(from: $0) }) {
        case .upToDate: event = .version
        case .patch(let from, let operations): event = .patch(operations, from: from)
        case .snapshot:
            var key = key
            key.from = nil
            return find(key, for: watcher)
        case nil where !key.kind.hasPatches: event = .state(projection.value)
        case nil:
            event =
                projection.value.map {
                    .snapshot(
                        $0, isOfView: projection.kind.view != nil,
                        schema: session.store.schemaVersion)
                } ?? .state(nil)
        }
        return event.frame(session.tag(projection), session.version, key.kind)
    }
}
