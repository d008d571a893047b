internal import FoundationEssentials
internal import HTTPMessages
internal import HTTPServer
internal import Sockets

/// Carries requests from the loop to the service, and its answers back when they are due.
///
/// A delay is a timer of the loop: any number of answers wait without a thread.
final class MockHandler: RequestHandler {
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
        self.body = Slice(body).array(in: bytes)
    }
}
