import HTTPServer
import Sockets

/// A GET that is held until its projection changes.
final class Waiter: ExchangeObserver, TimerHandler {
    let session: Session
    let projection: Projection
    let exchange: Exchange
    var timer: Timer?

    init(session: Session, projection: Projection, exchange: Exchange) {
        self.session = session
        self.projection = projection
        self.exchange = exchange
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        session.remove(self, on: loop)
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        session.remove(self, on: loop)
        session.answerNotModified(exchange, projection, on: loop)
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        session.remove(self, on: loop)
        session.answerNotModified(exchange, projection, on: loop)
    }
}

extension Session {
    /// Holds a request until its projection changes, at most for `duration`.
    func hold(
        _ exchange: Exchange, _ projection: Projection, for duration: Duration,
        on loop: isolated EventLoop
    ) {
        let waiter = Waiter(session: self, projection: projection, exchange: exchange)
        projections.keep(projection)
        projection.waiters.append(waiter)
        waiterCount += 1
        waiter.timer = loop.schedule(after: duration, waiter)
        exchange.observeClose(waiter, endsWithInput: true, on: loop)
    }

    func remove(_ waiter: Waiter, on loop: isolated EventLoop) {
        guard let index = waiter.projection.waiters.firstIndex(where: { $0 === waiter }) else {
            return
        }
        waiter.projection.waiters.remove(at: index)
        waiterCount -= 1
        if let timer = waiter.timer { loop.cancel(timer) }
        waiter.timer = nil
        projections.forgetIfUnused(waiter.projection)
    }

    /// Answers all who wait for a change of a projection.
    func answerWaiters(
        of projection: Projection, _ context: SessionContext, on loop: isolated EventLoop
    ) {
        let waiters = projection.waiters
        projection.waiters = []
        waiterCount -= waiters.count
        for waiter in waiters {
            if let timer = waiter.timer { loop.cancel(timer) }
            waiter.timer = nil
            answerState(waiter.exchange, projection, context, on: loop)
        }
        if !waiters.isEmpty { projections.forgetIfUnused(projection) }
    }

    /// Answers all who wait for anything: the session has ended.
    func endWaiters(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        for projection in projections.all {
            let waiters = projection.waiters
            projection.waiters = []
            waiterCount -= waiters.count
            for waiter in waiters {
                if let timer = waiter.timer { loop.cancel(timer) }
                waiter.exchange.respond(problem, on: loop)
            }
        }
    }
}
