import HTTPMessages

extension TestServer {
    /// Sends one request over a connection of its own.
    public func send(
        _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
    ) throws(TestFailure) -> TestAnswer {
        try open(method, target, fields: fields, body: body).answer()
    }

    /// Makes a session.
    @discardableResult
    public func create(
        _ session: String, input: String? = nil, fields: [String: String] = [:]
    ) throws(TestFailure) -> TestAnswer {
        let type = input == nil ? [:] : ["Content-Type": "application/json"]
        return try send("PUT", session, fields: type.merging(fields) { $1 }, body: input)
    }

    /// Posts one action; `payload` is JSON.
    @discardableResult
    public func dispatch(
        _ session: String, _ type: String, _ payload: String? = nil, query: String = "",
        fields: [String: String] = [:]
    ) throws(TestFailure) -> TestAnswer {
        let part = payload.map { ",\"payload\":\($0)" } ?? ""
        return try post(session, "{\"type\":\"\(type)\"\(part)}", query: query, fields: fields)
    }

    /// Posts a body of actions as it stands.
    @discardableResult
    public func post(
        _ session: String, _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestAnswer {
        let all = ["Content-Type": "application/json"].merging(fields) { $1 }
        return try send("POST", "\(session)/actions\(query)", fields: all, body: body)
    }

    /// Opens a stream of events.
    public func events(
        _ session: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestEvents {
        let connection = try TestConnection(to: self)
        try connection.send(request("GET", "\(session)/events\(query)", fields, nil))
        return TestEvents(connection)
    }

    func request(
        _ method: String, _ target: String, _ fields: [String: String], _ body: String?
    ) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if fields["Host"] == nil { lines.append("Host: 127.0.0.1:\(port)") }
        lines += fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        lines.append("Connection: close")
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// The answer in all that a connection has received; what cannot be read has the status 0 and
    /// says why.
    static func answer(in bytes: [UInt8], toHead: Bool = false) -> TestAnswer {
        var answer = TestAnswer(status: 0, fields: [:], body: "")
        var reader = ResponseReader(answersHead: toHead)
        let receive: ResponseReader.Receiver = { head, message, body in
            answer.status = head.status
            head.forEachField(in: message) { name, value in
                // Lines of one name are one list (RFC 9110 §5.2).
                let name = name.string(in: message).lowercased()
                let value = value.string(in: message)
                answer.fields[name] = answer.fields[name].map { "\($0), \(value)" } ?? value
            }
            answer.body = Slice(body).string(in: message)
        }
        do throws(ResponseError) {
            try reader.read(bytes.span, receive)
            try reader.end(receive)
        } catch {
            answer.body = "\(error)"
        }
        return answer
    }
}

/// A request whose answer is awaited later.
public struct TestRequest: Sendable {
    private let connection: TestConnection
    private let toHead: Bool

    init(_ connection: TestConnection, toHead: Bool) {
        self.connection = connection
        self.toHead = toHead
    }

    /// Waits for the whole answer.
    public func answer() throws(TestFailure) -> TestAnswer {
        TestServer.answer(in: try connection.receiveAll(), toHead: toHead)
    }
}

extension TestServer {
    /// Sends a request without waiting for its answer.
    public func open(
        _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
    ) throws(TestFailure) -> TestRequest {
        let connection = try TestConnection(to: self)
        try connection.send(request(method, target, fields, body))
        return TestRequest(connection, toHead: method == "HEAD")
    }

    /// Posts a body of actions without waiting for the answer.
    package func openPost(
        _ session: String, _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestRequest {
        let all = ["Content-Type": "application/json"].merging(fields) { $1 }
        return try open("POST", "\(session)/actions\(query)", fields: all, body: body)
    }
}
