import HTTPServer
import HTTPTypes
import Sockets

/// An id that its application is forgetting, and the one who waits for that.
final class SessionEnding: ExchangeObserver, TimerHandler {
    /// The one who waits until the application has forgotten the id.
    enum Waiter {
        /// A request that has ended the session: 204, or 202 where that takes too long.
        case request(Exchange)
        /// A request about no session, which may have left something all the same: 404.
        case absent(Exchange)
        /// A handle that has ended the session.
        case handle(SessionReply<Void>)

        fileprivate var exchange: Exchange? {
            switch self {
            case .request(let exchange), .absent(let exchange): exchange
            case .handle: nil
            }
        }

        /// The session is not ended now.
        func refuse(_ problem: ProblemDetails, on loop: isolated EventLoop) {
            exchange?.respond(problem, on: loop)
            if case .handle(let reply) = self { reply.give(.failure(SessionError(problem))) }
        }

        /// The session has ended, and the application has forgotten its id or will.
        func answer(isForgotten: Bool, on loop: isolated EventLoop) {
            switch self {
            case .handle(let reply): reply.give(.success(()))
            case .request(let exchange) where isForgotten:
                exchange.respond(.noContent, on: loop) { _ in }
            case .absent(let exchange) where isForgotten:
                exchange.respond(.sessionNotFound, on: loop)
            case .request(let exchange), .absent(let exchange):
                exchange.respond(.accepted, on: loop) { _ in }
            }
        }
    }

    private let task: Task<Void, Never>
    private var waiter: Waiter?
    private var timer: Timer?

    init(task: Task<Void, Never>, waiter: Waiter) {
        self.task = task
        self.waiter = waiter
    }

    func cancel() {
        task.cancel()
    }

    /// Lets the one who waits do so for so long.
    func hold(for duration: Duration, on loop: isolated EventLoop) {
        timer = loop.schedule(after: duration, self)
        waiter?.exchange?.observeClose(self, on: loop)
    }

    /// Answers the one who waits, unless that was done.
    func answer(isForgotten: Bool, on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
        waiter.take()?.answer(isForgotten: isForgotten, on: loop)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        answer(isForgotten: false, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        waiter = nil
    }

    /// The server waits for what is under way; the time that a request is held is bounded anyway.
    func exchangeDraining(on loop: isolated EventLoop) {}
}
