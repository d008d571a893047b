import ClientWire
import Sockets

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
        let input = input.map { Array($0.utf8) }
        return try open(.making(session, input: input, fields: fields)).answer()
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
        try openPost(session, body, query: query, fields: fields).answer()
    }

    /// Opens a stream of events.
    public func events(
        _ session: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestEvents {
        TestEvents(try connection(sending: .events(of: session, query: query, fields: fields)))
    }

    /// Sends a request without waiting for its answer.
    public func open(
        _ method: String, _ target: String, fields: [String: String] = [:], body: String? = nil
    ) throws(TestFailure) -> TestRequest {
        let body = body.map { Array($0.utf8) }
        return try open(ClientRequest(method, target, fields: fields, body: body))
    }

    /// Posts a body of actions without waiting for the answer.
    package func openPost(
        _ session: String, _ body: String, query: String = "", fields: [String: String] = [:]
    ) throws(TestFailure) -> TestRequest {
        try open(.posting(Array(body.utf8), to: session, query: query, fields: fields))
    }

    func open(_ request: ClientRequest) throws(TestFailure) -> TestRequest {
        let connection = try connection(sending: request)
        return TestRequest(connection: connection, isToHead: request.method == "HEAD")
    }

    private func connection(
        sending request: ClientRequest
    ) throws(TestFailure) -> BlockingConnection {
        try orFailing { () throws(SystemError) in
            let connection = try connect()
            try connection.send(bytes(of: request))
            return connection
        }
    }

    /// The bytes of a request with a connection of its own, for a test that reads the answer itself.
    func request(
        _ method: String, _ target: String, _ fields: [String: String], _ body: String?
    ) -> [UInt8] {
        let body = body.map { Array($0.utf8) }
        return bytes(of: ClientRequest(method, target, fields: fields, body: body))
    }

    private func bytes(of request: ClientRequest) -> [UInt8] {
        var request = request
        request.fields.merge(["Connection": "close"]) { given, _ in given }
        return request.bytes(to: "127.0.0.1:\(port)")
    }
}

/// A request whose answer is awaited later.
public struct TestRequest: Sendable {
    let connection: BlockingConnection
    let isToHead: Bool

    /// Waits for the whole answer.
    public func answer() throws(TestFailure) -> TestAnswer {
        let patience = Duration.seconds(30)
        let bytes = try orFailing(patience) { () throws(SystemError) in
            try connection.receiveAll(timeout: patience)
        }
        return TestAnswer(inAll: bytes, isToHead: isToHead)
    }
}

/// Does something with a connection, whose errors are failures of the test: an author who reads them
/// knows no sockets.
func orFailing<Value>(
    _ patience: Duration? = nil, _ latest: String = "none",
    _ body: () throws(SystemError) -> Value
) throws(TestFailure) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        guard let patience, error.code == .timedOut else { throw .connection("\(error)") }
        throw .timedOut(after: patience, latest: latest)
    }
}
