internal import HTTPMessages
internal import Sockets

/// Names a request that was forwarded from one loop to another.
struct ForwardKey: Sendable, Hashable {
    /// The loop that answers.
    var target: Int32
    /// The loop that holds the connection.
    var origin: Int32
    /// The connection there.
    var connection: Registration
    /// Which of its requests.
    var serial: UInt64
}

/// A whole request on its way to another loop.
struct ForwardedRequest: Sendable {
    let key: ForwardKey
    let head: RequestHead
    let plan: RequestPlan
    /// Head and body.
    let message: [UInt8]
    let traits: RequestTraits
    let address: IPAddress
    let nonce: UInt64
}

/// A request of another loop's connection, while this loop answers it.
final class RemoteRequest {
    let key: ForwardKey
    var address: IPAddress
    let nonce: UInt64
    let context: LoopContext
    var traits: RequestTraits
    private var observer: (any ExchangeObserver)?
    private(set) var awaitsAnswer = true

    init(_ request: ForwardedRequest, in context: LoopContext) {
        key = request.key
        (address, nonce) = (request.address, request.nonce)
        traits = request.traits
        self.context = context
    }

    /// Has the observer told when the client goes before its answer.
    func observe(_ observer: any ExchangeObserver, endsWithInput: Bool) {
        guard awaitsAnswer else { return }
        self.observer = observer
        if endsWithInput { context.holdForClient(key) }
    }

    /// Writes the answer and sends it to the loop of the connection.
    func answer(
        _ status: Int, _ rest: AnswerRest, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer else { return }
        awaitsAnswer = false
        observer = nil
        let lines =
            nonce != 0
            ? []
            : context.commonLines.lines(
                for: traits.origin, at: loop.wallClockMilliseconds / 1000)
        let head = traits.answer(status, lines: lines, behind: [], fill)
        context.send(SharedBytes(head), rest, for: key)
    }

    /// The client has gone.
    func cancel(on loop: isolated EventLoop) {
        awaitsAnswer = false
        context.forwards[key] = nil
        observer.take()?.exchangeClosed(on: loop)
    }

    /// The server is shutting down.
    func drain(on loop: isolated EventLoop) {
        observer?.exchangeDraining(on: loop)
    }
}

/// The ways of requests, answers and connections to other loops.
extension LoopContext {
    /// Sends a request to the loop that answers it.
    func forward(_ request: ForwardedRequest) {
        shared.mailboxes[Int(request.key.target)].post { server, loop in
            server.context.answer(request, on: loop)
        }
    }

    /// Answers a request of another loop's connection.
    private func answer(_ request: ForwardedRequest, on loop: isolated EventLoop) {
        let remote = RemoteRequest(request, in: self)
        forwards[request.key] = remote
        let exchange = Exchange(
            route: .remote(remote), serial: request.key.serial,
            isHead: request.traits.isHead)
        let message = request.message
        handle(request.head, request.plan, exchange, in: message.span, on: loop)
    }

    /// Tells the loop that answers a forwarded request that its client is gone.
    func cancel(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.context.forwards[key]?.cancel(on: loop)
        }
    }

    /// Tells the loop that answers a forwarded request that the server shuts down.
    func drain(_ key: ForwardKey) {
        shared.mailboxes[Int(key.target)].post { server, loop in
            server.context.forwards[key]?.drain(on: loop)
        }
    }

    /// Sends the answer of a forwarded request to the loop of its connection.
    func send(_ head: SharedBytes, _ rest: AnswerRest, for key: ForwardKey) {
        forwards[key] = nil
        shared.mailboxes[Int(key.origin)].post { _, loop in
            Connection.named(key.connection, on: loop)?.answer(key.serial, head, rest)
        }
    }

    /// Tells the loop of the connection that a forwarded request is held for nothing but its
    /// client.
    func holdForClient(_ key: ForwardKey) {
        shared.mailboxes[Int(key.origin)].post { _, loop in
            Connection.named(key.connection, on: loop)?.heldForClient(key.serial, on: loop)
        }
    }

    /// Gives a connection to another loop.
    func handOver(_ handover: Handover, to index: Int) {
        shared.mailboxes[index].post { server, loop in server.context.admit(handover, on: loop) }
    }
}
