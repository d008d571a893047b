internal import FoundationEssentials
internal import HTTPMessages
internal import HTTPServer
package import Logging
internal import Sockets

/// The outside APIs of the Episodes and Rides applications, on one event loop of its own.
///
///     let upstream = try MockServer(configuration: MockConfiguration())
///     let port = try upstream.start()
///     …  "http://127.0.0.1:\(port)/episodes"
///     await upstream.stop()
///
/// The JSON of each resource stands in `EpisodesAPI.swift` and `RidesAPI.swift`, that of the
/// controls for tests at `FailureRule`. Every error body is `application/problem+json`.
package final class MockServer: Sendable {
    package let configuration: MockConfiguration

    private let server: WebServer

    /// Makes a server that listens once it is started. Throws when the system has no descriptors
    /// for a loop.
    package init(
        configuration: MockConfiguration, logger: Logger = Logger(label: "mock-upstream")
    ) throws {
        self.configuration = configuration
        let settings = WebServerConfiguration(
            host: configuration.host, port: configuration.port, logger: logger)
        server = try WebServer(configuration: settings) { _ in
            MockHandler(MockService(configuration: configuration, now: .now))
        }
    }

    /// Binds the address and serves; returns the port, a free one where the configuration has 0.
    /// Throws when the address cannot be bound. A server is started once.
    @discardableResult
    package func start() throws -> Int {
        try server.start()
        return server.port
    }

    /// Closes the port, lets answers that are due within `grace` go out, closes all connections
    /// and ends the loop's thread.
    package func stop(grace: Duration = .zero) async {
        if grace > .zero { await server.drain(timeout: grace) }
        await server.stop()
    }
}

/// The settings of the stand-in.
package struct MockConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 stands for any free port.
    package var port = 0
    /// The factor multiplies the delays: with 1 they are as documented (episodes 1 s, location 2 s,
    /// places 0.5 s, ride options 1 s, sign-in 1 s, rides 3 s), with 0 every answer comes at once.
    package var delay = 1.0
    /// The part of API requests that fails with 503, 0 to 1. `/mock/…` never does.
    package var failureRate = 0.0
    /// The seed decides which requests fail: the same seed and requests have the same failures.
    package var seed: UInt64 = 1

    package init() {}
}

/// Carries requests from the loop to the service, and its answers back when they are due.
///
/// A delay is a timer of the loop: any number of answers wait without a thread.
private final class MockHandler: RequestHandler {
    private var service: MockService

    init(_ service: MockService) {
        self.service = service
    }

    func handle(_ request: InboundRequest, in bytes: Span<UInt8>, on loop: isolated EventLoop) {
        let exchange = request.exchange
        let request = MockRequest(request.head, in: bytes, body: request.body)
        let now = Date(timeIntervalSince1970: Double(loop.wallClockMilliseconds) / 1000)
        let answer = service.answer(request, now: now)
        if answer.delay == .zero {
            exchange.respond(answer, on: loop)
        } else {
            _ = loop.schedule(
                after: answer.delay, DelayedAnswer(answer: answer, exchange: exchange))
        }
    }
}

/// An answer that waits for its time. If the client has gone by then, nothing happens.
private final class DelayedAnswer: TimerHandler {
    private let answer: MockAnswer
    private let exchange: Exchange

    init(answer: MockAnswer, exchange: Exchange) {
        self.answer = answer
        self.exchange = exchange
    }

    func timerFired(_ timer: Sockets.Timer, on loop: isolated EventLoop) {
        exchange.respond(answer, on: loop)
    }
}

extension Exchange {
    fileprivate func respond(_ answer: MockAnswer, on loop: isolated EventLoop) {
        respond(status: answer.status, on: loop) { writer in
            for (name, value) in answer.fields { writer.field(name, value) }
            guard answer.status != 204 else { return }
            writer.field("Content-Type", answer.contentType)
            if !answer.fields.contains(where: { $0.name == "Cache-Control" }) {
                writer.field("Cache-Control", "no-store")
            }
            writer.body(answer.body)
        }
    }
}

extension MockRequest {
    /// HEAD counts as GET: the exchange leaves the body out.
    fileprivate init(_ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>) {
        method = head.method == .head ? "GET" : head.methodName.string(in: bytes)
        let path = head.path.array(in: bytes)
        self.path = PercentCoding.decoded(path) ?? String(decoding: path, as: UTF8.self)
        for item in Query(head.query, in: bytes).items { query[item.name] = item.value }
        authorization = head.value(.authorization)?.string(in: bytes)
        key = head.value(.idempotencyKey)?.string(in: bytes)
        self.body = Slice(body).array(in: bytes)
    }
}
