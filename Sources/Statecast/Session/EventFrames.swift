import HTTPMessages
import HTTPServer
import Sockets

/// The bytes of events, in both formats of a stream.
enum EventFrames {
    /// `id: …\ndata: {…}\n\n`, or an event `out-of-scope` where there is nothing.
    static func event(_ json: SharedBytes?, epoch: String, version: UInt64) -> StreamFrame {
        StreamFrame(capacity: (json?.count ?? 2) + epoch.utf8.count + 69) { bytes in
            if json == nil { bytes.append(contentsOf: "event: out-of-scope\n".utf8) }
            bytes.append(contentsOf: "id: ".utf8)
            Token.append(epoch, version, to: &bytes)
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

    /// `id: …\n\n`: browsers take it over and dispatch nothing.
    static func id(_ token: [UInt8]) -> StreamFrame {
        StreamFrame(Array("id: ".utf8) + token + Array("\n\n".utf8))
    }

    /// An event without content: `ping`, `busy`, `end`.
    static func control(_ name: String, _ format: Watcher.Format) -> StreamFrame {
        switch format {
        case .events: StreamFrame(Array("event: \(name)\ndata: {}\n\n".utf8))
        case .lines: StreamFrame(Array("{\"event\":\"\(name)\"}\n".utf8))
        }
    }

    /// What half-open connections are found by.
    static func ping(_ format: Watcher.Format) -> StreamFrame {
        format == .events ? eventPing : linePing
    }

    /// What an event stream begins with.
    static func retry(milliseconds: Int) -> StreamFrame {
        var bytes: [UInt8] = []
        EventStreamEncoder.retry(milliseconds: milliseconds, into: &bytes)
        return StreamFrame(bytes)
    }

    private static let empty = Array("{}".utf8)
    private static let eventPing = control("ping", .events)
    private static let linePing = control("ping", .lines)
}
