import HTTPServer
import Sessions
import Sockets

/// A GET that is held until its projection changes.
final class Waiter: ExchangeObserver, TimerHandler {
    private let session: Session
    private let projection: Projection
    private let exchange: Exchange
    private var timer: Timer?

    init(session: Session, projection: Projection, exchange: Exchange) {
        self.session = session
        self.projection = projection
        self.exchange = exchange
    }

    /// Holds the request for so long at most.
    func wait(for duration: Duration, on loop: isolated EventLoop) {
        Audience.of(projection).add(self)
        session.hold(projection)
        timer = loop.schedule(after: duration, self)
        exchange.observeClose(self, endsWithInput: true, on: loop)
    }

    /// Answers with the projection's present value.
    func answer(on loop: isolated EventLoop) {
        cancelTimer(on: loop)
        ProblemAnswer.catching(exchange, on: loop) { () throws(ProblemAnswer) in
            try StateAnswer.respond(with: projection, of: session, to: exchange, on: loop)
        }
    }

    /// Answers that the projection cannot be had.
    func refuse(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        cancelTimer(on: loop)
        exchange.respond(problem, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        leave(on: loop)
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        leave(on: loop)
        StateAnswer.respondNotModified(projection, of: session, to: exchange, on: loop)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        leave(on: loop)
        StateAnswer.respondNotModified(projection, of: session, to: exchange, on: loop)
    }

    private func leave(on loop: isolated EventLoop) {
        let audience = Audience.of(projection)
        guard audience.contains(self) else { return }
        audience.remove(self)
        session.release(projection)
        cancelTimer(on: loop)
    }

    private func cancelTimer(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
