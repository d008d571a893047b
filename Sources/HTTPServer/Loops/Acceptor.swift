internal import Logging
internal import Sockets

/// Accepts connections on one loop, and pauses when there is no room for more.
///
/// A pause drops no client: those that come wait in the kernel's backlog.
final class Acceptor: ReadinessHandler, TimerHandler {
    private var listener: Listener?
    private let context: LoopContext
    /// Those that come here are other servers.
    private let isInner: Bool
    private var registration: Registration?
    private var timer = Timer.none

    init(_ listener: Listener, _ context: LoopContext, isInner: Bool = false) {
        self.listener = listener
        self.context = context
        self.isInner = isInner
    }

    /// Begins, or goes on after a pause.
    func resume(on loop: isolated EventLoop) {
        loop.cancel(timer)
        guard registration == nil, let listener, context.shared.hasRoom(isInner) else { return }
        do throws(SystemError) {
            registration = try loop.add(
                listener.descriptor, interest: [.read, .exclusive], handler: self)
        } catch {
            context.shared.configuration.logger.error("Accepting cannot go on yet: \(error)")
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

    /// Ends for good: the listener is closed with the last loop that does so, and the kernel refuses
    /// the clients that connect from then on.
    func end(on loop: isolated EventLoop) {
        // Other servers that have connected already hear that nothing is done of what they send.
        if isInner, registration != nil { ready(.read, on: loop) }
        pause(on: loop)
        listener = nil
    }

    /// The acceptor waits for room, or has ended.
    var isPaused: Bool { registration == nil }

    func ready(_ events: Readiness, on loop: isolated EventLoop) {
        for _ in 0..<context.limits.acceptsPerTurn {
            guard let listener else { return }
            guard context.shared.hasRoom(isInner) else { return pause(on: loop) }
            switch listener.accept(loop.system) {
            case .accepted(let descriptor, let address):
                context.open(descriptor, from: address.host, isInner: isInner, on: loop)
            case .wouldBlock: return
            case .refused: continue
            case .exhausted(let code):
                context.shared.configuration.logger.warning("Accepting pauses: \(code)")
                pause(on: loop)
                return retryLater(on: loop)
            }
        }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) { resume(on: loop) }

    private func retryLater(on loop: isolated EventLoop) {
        let time = loop.now.advanced(by: context.limits.acceptPauseDuration)
        loop.rearm(&timer, at: time, self)
    }
}
