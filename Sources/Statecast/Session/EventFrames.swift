import HTTPMessages
import HTTPServer
import Sockets

/// The bytes of events, in both formats of a stream.
enum EventFrames {
    /// `id: …\ndata: {…}\n\n`, or an event `out-of-scope` where there is nothing.
    static func event(_ json: SharedBytes?, id: [UInt8]) -> StreamFrame {
        StreamFrame(capacity: (json?.count ?? 2) + id.count + 48) { bytes in
            if json == nil { bytes.append(contentsOf: "event: out-of-scope\n".utf8) }
            bytes.append(contentsOf: "id: ".utf8)
            bytes.append(contentsOf: id)
            bytes.append(contentsOf: "\ndata: ".utf8)
            bytes.append(contentsOf: json?.bytes ?? empty)
            bytes.append(contentsOf: "\n\n".utf8)
        }
    }

    /// `{"token":"…","version":42,"state":{…}}\n`
    static func line(_ json: SharedBytes?, token: [UInt8], version: UInt64) -> StreamFrame {
        StreamFrame(capacity: (json?.count ?? 2) + token.count + 80) { bytes in
            bytes.append(contentsOf: "{".utf8)
            if json == nil { bytes.append(contentsOf: "\"event\":\"out-of-scope\",".utf8) }
            bytes.append(contentsOf: "\"token\":\"".utf8)
            bytes.append(contentsOf: token)
            bytes.append(contentsOf: "\",\"version\":".utf8)
            Token.append(version, to: &bytes)
            if let json {
                bytes.append(contentsOf: ",\"state\":".utf8)
                bytes.append(contentsOf: json.bytes)
            }
            bytes.append(contentsOf: "}\n".utf8)
        }
    }

    /// The version alone: `id: …\n\n`, which browsers take over and dispatch nothing for, or
    /// `{"token":"…","version":42}\n`.
    static func id(_ id: [UInt8], _ version: UInt64, _ format: Watcher.Format) -> StreamFrame {
        switch format {
        case .events: StreamFrame(Array("id: ".utf8) + id + Array("\n\n".utf8))
        case .lines:
            StreamFrame(
                Array("{\"token\":\"".utf8) + id + Array("\",\"version\":\(version)}\n".utf8))
        }
    }

    /// An event without content: `event: end\ndata: {}\n\n`, or
    /// `{"event":"end","token":"…","version":42}\n`.
    static func control(
        _ name: String, _ tag: [UInt8], _ version: UInt64, _ format: Watcher.Format
    ) -> StreamFrame {
        switch format {
        case .events: name == "ping" ? eventPing : event(named: name)
        case .lines:
            StreamFrame(
                Array("{\"event\":\"\(name)\",\"token\":\"".utf8) + tag
                    + Array("\",\"version\":\(version)}\n".utf8))
        }
    }

    private static func event(named name: String) -> StreamFrame {
        StreamFrame(Array("event: \(name)\ndata: {}\n\n".utf8))
    }

    /// What an event stream begins with.
    static func retry(milliseconds: Int) -> StreamFrame {
        var bytes: [UInt8] = []
        EventStreamEncoder.retry(milliseconds: milliseconds, into: &bytes)
        return StreamFrame(bytes)
    }

    private static let empty = Array("{}".utf8)
    private static let eventPing = event(named: "ping")
}
