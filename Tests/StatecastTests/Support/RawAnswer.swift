import Sockets
import StatecastTesting

/// An answer as it stands on the wire: every line of its head, repeated ones too.
struct RawAnswer {
    let status: Int
    /// `etag: "x"`: names in lower case, in their order.
    let fields: [String]
    let body: String

    /// Sends a request over a connection of its own, and reads what comes back for it.
    init(_ server: TestServer, _ request: String, body: String = "") throws {
        let connection = try server.connect()
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try connection.send("\(request)Connection: close\r\n\(length)\r\n\(body)")
        self.init(try connection.receiveAll())
    }

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.firstRange(of: "\r\n\r\n")
        let lines = text[..<(end?.lowerBound ?? text.endIndex)].split(separator: "\r\n")
        status =
            lines.first.flatMap { $0.split(separator: " ").dropFirst().first }
            .flatMap { Int($0) } ?? 0
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return name.lowercased() + line.dropFirst(name.count)
        }
        body = end.map { String(text[$0.upperBound...]) } ?? ""
    }

    /// The values of a field, one a line.
    func values(_ name: String) -> [String] {
        fields.filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}
