/// A request as a client sends it.
///
///     connection.send(ClientRequest.events(of: "/list/sessions/home").bytes(to: "localhost:8080"))
public struct ClientRequest: Sendable {
    /// `GET`, `PUT` or `POST`.
    public var method: String
    /// A path, or for a transport an absolute URL.
    public var target: String
    /// By their names; Host and Content-Length are added.
    public var fields: [String: String]
    /// Nil: without one.
    public var body: [UInt8]?

    /// A request.
    public init(
        _ method: String, _ target: String, fields: [String: String] = [:], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Makes a session, of its input where the application takes one: JSON.
    ///
    /// - Parameter method: `POST` to `M/sessions`, where the server is to name it.
    package static func making(
        _ session: String, by method: String = "PUT", input: [UInt8]? = nil,
        fields: [String: String] = [:]
    ) -> ClientRequest {
        let type = input == nil ? [:] : ["Content-Type": "application/json"]
        return ClientRequest(method, session, fields: type.merging(fields) { $1 }, body: input)
    }

    /// Posts actions to a session: JSON.
    package static func posting(
        _ actions: [UInt8], to session: String, query: String = "", fields: [String: String] = [:]
    ) -> ClientRequest {
        let all = ["Content-Type": "application/json"].merging(fields) { $1 }
        return ClientRequest("POST", "\(session)/actions\(query)", fields: all, body: actions)
    }

    /// Opens a stream of a session's events.
    ///
    /// - Parameter lastID: the last id of a stream before, behind which this one goes on.
    package static func events(
        of session: String, query: String = "", behind lastID: String? = nil,
        fields: [String: String] = [:]
    ) -> ClientRequest {
        var all = ["Accept": "text/event-stream"].merging(fields) { $1 }
        if let lastID { all["Last-Event-ID"] = lastID }
        return ClientRequest("GET", "\(session)/events\(query)", fields: all)
    }

    /// The request's bytes (RFC 9112 §2.1), with its fields in the order of their names.
    package func bytes(to host: String) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if fields["Host"] == nil { lines.append("Host: \(host)") }
        lines += fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
