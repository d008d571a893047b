internal import HTTPMessages
internal import Sockets

/// A request of another loop's connection, while this loop answers it.
final class RemoteRequest {
    let key: ForwardKey
    let address: IPAddress
    let context: LoopContext
    private let framing: AnswerFraming
    private var observer: (any ExchangeObserver)?
    private(set) var awaitsAnswer = true

    init(_ request: ForwardedRequest, in context: LoopContext) {
        key = request.key
        address = request.address
        framing = request.framing
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
        _ status: Int, _ rest: ForwardedAnswer.Rest, on loop: isolated EventLoop,
        _ fill: (inout ResponseWriter) -> Void
    ) {
        guard awaitsAnswer else { return }
        awaitsAnswer = false
        observer = nil
        let lines = context.commonLines(for: framing.origin, on: loop)
        let head = framing.answer(status, lines: lines, behind: [], fill)
        context.send(ForwardedAnswer(head: head, rest: rest), for: key)
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
