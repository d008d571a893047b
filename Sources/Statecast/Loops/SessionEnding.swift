import HTTPServer
import HTTPTypes
import Sockets

/// An id that its application is forgetting, and the request that waits for it.
final class SessionEnding: ExchangeObserver, TimerHandler {
    /// The answer to the request once the application has forgotten the id.
    enum Answer {
        /// 204: the session has ended.
        case ended
        /// 404: there was no session, which may have left something all the same.
        case notFound
    }

    private let task: Task<Void, Never>
    private let answer: Answer
    private var exchange: Exchange?
    private var timer: Timer?

    init(task: Task<Void, Never>, exchange: Exchange, answer: Answer) {
        self.task = task
        self.exchange = exchange
        self.answer = answer
    }

    func cancel() {
        task.cancel()
    }

    /// Lets the request wait so long.
    func hold(for duration: Duration, on loop: isolated EventLoop) {
        timer = loop.schedule(after: duration, self)
        exchange?.observeClose(self, on: loop)
    }

    /// Answers the request, unless that was done.
    func answer(isForgotten: Bool, on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard let exchange = exchange.take() else { return }
        switch answer {
        case _ where !isForgotten: exchange.respond(.accepted, on: loop) { _ in }
        case .ended: exchange.respond(.noContent, on: loop) { _ in }
        case .notFound: exchange.respond(.sessionNotFound, on: loop)
        }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        answer(isForgotten: false, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        exchange = nil
    }

    /// The server waits for what is under way; the time that a request is held is bounded anyway.
    func exchangeDraining(on loop: isolated EventLoop) {}
}
