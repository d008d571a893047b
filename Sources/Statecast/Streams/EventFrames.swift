import HTTPMessages
import HTTPServer
import Sessions
import Sockets

/// The bytes of events, in both formats of a stream.
enum EventFrames {
    /// The value in a format; nil: it is out of scope.
    static func state(
        _ json: SharedBytes?, _ tag: [UInt8], _ version: UInt64, _ format: StreamWatcher.Format
    ) -> StreamFrame {
        switch format {
        case .events: event(json, id: tag)
        case .lines: line(json, token: tag, version: version)
        }
    }

    /// `id: …\ndata: {…}\n\n`, or an event `out-of-scope` where there is nothing.
    static func event(_ json: SharedBytes?, id: [UInt8]) -> StreamFrame {
        event(json, idCapacity: id.count) { $0.append(contentsOf: id) }
    }

    /// As above, with the id that `write` appends, of `idCapacity` bytes at most.
    static func event(
        _ json: SharedBytes?, idCapacity: Int, _ write: (inout [UInt8]) -> Void
    ) -> StreamFrame {
        let content = json?.bytes ?? empty
        return StreamFrame(capacity: content.count + idCapacity + 48) { bytes in
            if json == nil { EventStreamEncoder.name("out-of-scope", into: &bytes) }
            EventStreamEncoder.id(into: &bytes, write)
            EventStreamEncoder.data(content, into: &bytes)
            EventStreamEncoder.end(into: &bytes)
        }
    }

    /// `{"token":"…","version":42,"state":{…}}\n`, or with `"event":"out-of-scope"` and no state.
    static func line(_ json: SharedBytes?, token: [UInt8], version: UInt64) -> StreamFrame {
        StreamFrame(capacity: (json?.count ?? 0) + token.count + 80) { bytes in
            appendLine(json == nil ? "out-of-scope" : nil, token, version, json, to: &bytes)
        }
    }

    /// The whole value, for clients that go on by patches: `event: snapshot`, an id, and
    /// `data: {"version":42,"state":{…}}`.
    static func snapshot(
        _ json: SharedBytes, _ tag: [UInt8], _ version: UInt64, _ format: StreamWatcher.Format
    ) -> StreamFrame {
        named("snapshot", tag, format, capacity: json.count + 32) { bytes in
            bytes.append(contentsOf: "\"version\":".utf8)
            Token.append(version, to: &bytes)
            bytes.append(contentsOf: ",\"state\":".utf8)
            SingleLine.append(json.bytes, to: &bytes)
        }
    }

    /// A patch: `event: patch`, an id, and
    /// `data: {"from":42,"version":44,"ops":[{"op":"replace","path":"/done","value":true}]}`. It
    /// applies to what was shown at any version from `from` on.
    static func patch(
        _ operations: [UInt8], from: UInt64, _ tag: [UInt8], _ version: UInt64,
        _ format: StreamWatcher.Format
    ) -> StreamFrame {
        named("patch", tag, format, capacity: operations.count + 64) { bytes in
            bytes.append(contentsOf: "\"from\":".utf8)
            Token.append(from, to: &bytes)
            bytes.append(contentsOf: ",\"version\":".utf8)
            Token.append(version, to: &bytes)
            bytes.append(contentsOf: ",\"ops\":".utf8)
            SingleLine.append(operations, to: &bytes)
        }
    }

    /// An event with a name, an id, and an object as data, whose members `fill` writes. A line has its
    /// name and the token among them.
    private static func named(
        _ name: String, _ tag: [UInt8], _ format: StreamWatcher.Format, capacity: Int,
        _ fill: (inout [UInt8]) -> Void
    ) -> StreamFrame {
        StreamFrame(capacity: capacity + tag.count + 64) { bytes in
            switch format {
            case .events:
                EventStreamEncoder.name(name, into: &bytes)
                EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: tag) }
                bytes.append(contentsOf: "data: {".utf8)
            case .lines:
                bytes.append(contentsOf: "{\"event\":\"\(name)\",\"token\":\"".utf8)
                SingleLine.append(tag, to: &bytes)
                bytes.append(contentsOf: "\",".utf8)
            }
            fill(&bytes)
            bytes.append(contentsOf: "}\n".utf8)
            if format == .events { EventStreamEncoder.end(into: &bytes) }
        }
    }

    /// The version alone: `id: …\n\n`, which browsers take over and dispatch nothing for, or
    /// `{"token":"…","version":42}\n`.
    static func id(_ id: [UInt8], _ version: UInt64, _ format: StreamWatcher.Format) -> StreamFrame
    {
        StreamFrame(capacity: id.count + 48) { bytes in
            switch format {
            case .events:
                EventStreamEncoder.id(into: &bytes) { $0.append(contentsOf: id) }
                EventStreamEncoder.end(into: &bytes)
            case .lines: appendLine(nil, id, version, nil, to: &bytes)
            }
        }
    }

    /// An event without content: `event: end\ndata: {}\n\n`, or
    /// `{"event":"end","token":"…","version":42}\n`.
    static func control(
        _ name: String, _ tag: [UInt8], _ version: UInt64, _ format: StreamWatcher.Format
    ) -> StreamFrame {
        switch format {
        case .events: name == "ping" ? eventPing : event(named: name)
        case .lines:
            StreamFrame(capacity: name.utf8.count + tag.count + 64) { bytes in
                appendLine(name, tag, version, nil, to: &bytes)
            }
        }
    }

    private static func event(named name: String) -> StreamFrame {
        StreamFrame(capacity: name.utf8.count + 18) { bytes in
            EventStreamEncoder.name(name, into: &bytes)
            EventStreamEncoder.data(empty, into: &bytes)
            EventStreamEncoder.end(into: &bytes)
        }
    }

    /// The beginning of an event stream.
    static func retry(milliseconds: Int) -> StreamFrame {
        StreamFrame(capacity: 24) { bytes in
            EventStreamEncoder.retry(milliseconds: milliseconds, into: &bytes)
        }
    }

    /// One line of NDJSON: an event's name, the token, the version and the state, as far as there
    /// are any.
    private static func appendLine(
        _ name: String?, _ token: [UInt8], _ version: UInt64, _ json: SharedBytes?,
        to bytes: inout [UInt8]
    ) {
        bytes.append(UInt8(ascii: "{"))
        if let name { bytes.append(contentsOf: "\"event\":\"\(name)\",".utf8) }
        bytes.append(contentsOf: "\"token\":\"".utf8)
        SingleLine.append(token, to: &bytes)
        bytes.append(contentsOf: "\",\"version\":".utf8)
        Token.append(version, to: &bytes)
        if let json {
            bytes.append(contentsOf: ",\"state\":".utf8)
            SingleLine.append(json.bytes, to: &bytes)
        }
        bytes.append(contentsOf: "}\n".utf8)
    }

    private static let empty = Array("{}".utf8)
    private static let eventPing = event(named: "ping")
}
