@testable import HTTPServer
import FaultPlans
import HTTPMessages
import Logging
import Sockets

/// A server with a `ProbeHandler` on each loop, on a free port, for one test.
struct TestServer {
    let server: WebServer
    let journal: Journal

    /// Runs a server for as long as `body` takes.
    static func run(
        loops: Int = 1, limits: HTTPLimits = HTTPLimits(), faults: FaultPlan? = nil,
        leastBatchCount: Int? = 1, memory: MemoryBudget? = nil, inner: Listener? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let journal = Journal()
        try await run(
            loops: loops, limits: limits, faults: faults, leastBatchCount: leastBatchCount,
            memory: memory, journal: journal, inner: inner,
            handler: { _ in ProbeHandler(journal) }, body)
    }

    /// As above, with handlers of the test's own.
    static func run(
        loops: Int = 1, limits: HTTPLimits = HTTPLimits(), faults: FaultPlan? = nil,
        leastBatchCount: Int? = 1, memory: MemoryBudget? = nil,
        journal: Journal = Journal(), inner: Listener? = nil,
        handler: @escaping WebServer.HandlerFactory,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = WebServerConfiguration(
            port: 0, loopCount: loops, limits: limits, logger: logger)
        configuration.leastBatchCount = leastBatchCount
        configuration.memory = memory
        let server = try WebServer(
            configuration: configuration, faults: faults.map { $0.next }, makeHandler: handler)
        try server.start(inner: inner)
        do {
            try await withTaskExecutorPreference(BlockingExecutor.shared) {
                try await body(TestServer(server: server, journal: journal))
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Returns once as many connections are open as wanted; throws where that takes 30 s.
    func awaitConnections(_ isWanted: (Int) -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while !isWanted(server.connectionCount) {
            guard ContinuousClock.now < end else {
                throw SystemError(
                    .receive, .timedOut, subject: "with \(server.connectionCount) connections")
            }
            await Task.yield()
        }
    }

    /// Lets time pass until no connection is left. The kernel may take some bytes for a client after
    /// it has said that it has no room; that moves the client's deadline, once or twice.
    func advanceToTheLastConnection(by duration: Duration) async {
        for _ in 0..<5 where server.connectionCount > 0 { await server.advance(by: duration) }
    }

    /// Returns once every loop has read what had arrived at it before: a turn that is under way
    /// may have missed it, the next one has not.
    func awaitArrivals() async {
        for _ in 0..<3 { await server.advance(by: .zero) }
    }

    init(server: WebServer, journal: Journal) {
        self.server = server
        self.journal = journal
    }

    func connect() throws -> BlockingConnection {
        try BlockingConnection(port: server.port)
    }

    /// Sends these bytes and receives all until the server ends the connection.
    func exchange(_ request: String) throws -> String {
        let client = try connect()
        try client.send(request)
        return text(try client.receiveAll())
    }

    /// Sends a frame to the streams again and again until the first is blocked.
    ///
    /// - Returns: the bytes that were sent.
    @discardableResult
    func sendUntilBlocked(_ frame: String) throws -> Int {
        var count = 1
        let request = Request.post("/send", frame, close: true)
        while try !exchange(request).hasSuffix("true") { count += 1 }
        return count * frame.utf8.count
    }

    /// Whether a plain request on a new connection is answered.
    func isAlive() throws -> Bool {
        try exchange(Request.get("/alive", close: true)).hasSuffix("GET /alive")
    }
}

/// Requests in short.
enum Request {
    static func get(_ path: String, close: Bool = false, _ fields: String...) -> String {
        make("GET", path, (close ? ["Connection: close"] : []) + fields)
    }

    static func post(
        _ path: String, _ body: String, close: Bool = false, _ fields: String...
    ) -> String {
        let own = ["Content-Length: \(body.utf8.count)"] + (close ? ["Connection: close"] : [])
        return make("POST", path, own + fields) + body
    }

    static func make(_ method: String, _ path: String, _ fields: [String]) -> String {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}

extension BlockingConnection {
    /// Receives until the text that came ends with this.
    func receive(to end: String) throws -> String {
        text(try receive { text($0).hasSuffix(end) })
    }

    /// Receives chunks until their payload ends with this.
    func receivePayload(to end: String) throws -> String {
        payload(try receive { payload($0).hasSuffix(end) })
    }

    /// Receives until the text that came holds this.
    func receive(upTo part: String) throws -> String {
        text(try receive { text($0).contains(part) })
    }
}

/// The payload of chunks, as far as they have come.
func payload(_ chunks: [UInt8]) -> String {
    var body = ResponseBody(.chunked)
    var payload: [UInt8] = []
    do throws(ResponseError) {
        try body.read(chunks.span, to: &payload)
    } catch {
        return "\(error)"
    }
    return text(payload)
}

/// The statuses of all answers in what a connection sent.
func statuses(_ answers: String) -> [String] {
    answers.ranges(of: "HTTP/1.1 ").filter { answers[$0.upperBound...].first != "i" }.map {
        String(answers[$0.upperBound...].prefix(3))
    }
}

/// Whether the parts stand in this order.
func order(of parts: [String], in text: String) -> Bool {
    var rest = text[...]
    for part in parts {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
    }
    return true
}

extension HTTPLimits {
    /// Turns that no pause of the machine makes long: what comes at once is handled in one.
    static var longTurns: HTTPLimits {
        var limits = HTTPLimits()
        limits.turnDuration *= 1_000
        return limits
    }
}
