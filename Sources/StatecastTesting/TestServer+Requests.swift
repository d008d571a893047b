extension TestServer {
    /// Sends one request over a connection of its own.
    public func send(
        _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
    ) throws(TestFailure) -> TestAnswer {
        try open(method, target, fields: fields, body: body).answer()
    }

    /// Makes a session.
    @discardableResult
    public func create(_ session: String) throws(TestFailure) -> TestAnswer {
        try send("PUT", session)
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
        let connection = try TestConnection(port: port)
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

    static func answer(in bytes: [UInt8]) -> TestAnswer {
        let end = Array("\r\n\r\n".utf8)
        let headEnd = bytes.firstRange(of: end)
        let head = String(decoding: bytes[..<(headEnd?.lowerBound ?? bytes.count)], as: UTF8.self)
        var body = Array(bytes[(headEnd?.upperBound ?? bytes.count)...])
        let lines = head.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            fields[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
        }
        if fields["transfer-encoding"] == "chunked" {
            var chunks = ChunkReader()
            var payload: [UInt8] = []
            chunks.append(body, to: &payload)
            body = payload
        }
        return TestAnswer(
            status: status ?? 0, fields: fields, body: String(decoding: body, as: UTF8.self))
    }
}

/// A request whose answer is awaited later.
public struct TestRequest: Sendable {
    private let connection: TestConnection

    init(_ connection: TestConnection) {
        self.connection = connection
    }

    /// Waits for the whole answer.
    public func answer() throws(TestFailure) -> TestAnswer {
        TestServer.answer(in: try connection.receiveAll())
    }
}

extension TestServer {
    /// Sends a request without waiting for its answer.
    public func open(
        _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
    ) throws(TestFailure) -> TestRequest {
        let connection = try TestConnection(port: port)
        try connection.send(request(method, target, fields, body))
        return TestRequest(connection)
    }

    /// Posts a body of actions without waiting for the answer.
    package func openPost(
        _ session: String, _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestRequest {
        let all = ["Content-Type": "application/json"].merging(fields) { $1 }
        return try open("POST", "\(session)/actions\(query)", fields: all, body: body)
    }
}
