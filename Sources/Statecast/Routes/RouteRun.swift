import HTTPServer
import Sockets

/// One request that a route's handler works on: its client, its time, and the task in Swift's pool.
final class RouteRun: ExchangeObserver, TimerHandler {
    private let number: UInt64
    private let exchange: Exchange
    private let task: Task<Void, Never>
    private let resource: RoutesResource
    private var timer: Timer?

    /// - Parameter number: names the run among those of its loop.
    init(
        _ number: UInt64, _ exchange: Exchange, _ task: Task<Void, Never>,
        of resource: RoutesResource
    ) {
        self.number = number
        self.exchange = exchange
        self.task = task
        self.resource = resource
    }

    /// Lets the handler work for so long at most, and for as long as its client is there.
    func hold(for duration: Duration, on loop: isolated EventLoop) {
        timer = loop.schedule(after: duration, self)
        exchange.observeClose(self, endsWithInput: true, on: loop)
    }

    /// The handler has ended.
    func end(with outcome: RouteOutcome, on loop: isolated EventLoop) {
        cancelTimer(on: loop)
        outcome.respond(to: exchange, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        cancelTimer(on: loop)
        task.cancel()
        resource.forget(number)
    }

    /// What the handler then answers still reaches the client.
    func exchangeDraining(on loop: isolated EventLoop) {
        task.cancel()
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        self.timer = nil
        task.cancel()
        resource.forget(number)
        exchange.respond(.routeTimeout, on: loop)
    }

    private func cancelTimer(on loop: isolated EventLoop) {
        if let timer { loop.cancel(timer) }
        timer = nil
    }
}
