internal import Logging
internal import Sockets

/// Accepts connections on one loop, and pauses when there is no room for more.
///
/// Nobody is dropped by a pause: those who come wait in the kernel's backlog.
final class Acceptor: ReadinessHandler, TimerHandler {
    private var listener: Listener?
    private unowned let server: ServerLoop
    private var registration: Registration?
    private var timer = Timer.none

    init(listener: Listener, server: ServerLoop) {
        self.listener = listener
        self.server = server
    }

    /// Begins, or goes on after a pause.
    func resume(on loop: isolated EventLoop) {
        loop.cancel(timer)
        guard registration == nil, let listener, server.shared.tally.hasRoom else { return }
        do throws(SystemError) {
            registration = try loop.add(
                listener.descriptor, interest: [.read, .exclusive], handler: self)
        } catch {
            server.shared.logger.error("Accepting cannot go on yet: \(error)")
            retryLater(on: loop)
        }
    }

    /// Takes no more connections until `resume`.
    func pause(on loop: isolated EventLoop) {
        loop.cancel(timer)
        guard let registration else { return }
        loop.remove(registration)
        self.registration = nil
    }

    /// Ends for good: the listener is closed with the last loop that does so, and whoever
    /// connects from then on is refused by the kernel.
    func end(on loop: isolated EventLoop) {
        pause(on: loop)
        listener = nil
    }

    /// Whether it is waiting for room.
    var isPaused: Bool {
        registration == nil
    }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        for _ in 0..<server.limits.acceptsPerTurn {
            guard let listener else { return }
            guard server.shared.tally.hasRoom else { return pause(on: loop) }
            switch listener.accept(loop.system) {
            case .accepted(let descriptor, let address):
                server.open(descriptor, from: address.host, on: loop)
            case .wouldBlock: return
            case .refused: continue
            case .exhausted(let code):
                server.shared.logger.warning("Accepting pauses: \(code)")
                pause(on: loop)
                return retryLater(on: loop)
            }
        }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        resume(on: loop)
    }

    private func retryLater(on loop: isolated EventLoop) {
        let time = loop.now.advanced(by: server.limits.acceptPauseDuration)
        loop.rearm(&timer, at: time, self)
    }
}
