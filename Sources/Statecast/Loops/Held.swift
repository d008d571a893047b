import HTTPServer
import Sockets

/// Something that waits on a loop: for so long at most, if that is bounded, and no longer than its
/// client is there.
///
/// It is over once: when its owner ends it as what it waits for has come, or by an interruption.
final class Held: ExchangeObserver, TimerHandler {
    enum Interruption {
        /// It has waited for as long as it may.
        case timeout
        /// The server stops. The wait goes on until its owner ends it.
        case draining
        /// The client has gone, and wants no answer.
        case clientGone
    }

    private var interrupted: ((Held, Interruption) -> Void)?
    var isOver: Bool { interrupted == nil }
    private var timer = Timer.none

    /// - Parameters:
    ///   - exchange: the client's, if one waits.
    ///   - endsWithInput: a client that has ended its side of the connection has gone.
    init(
        _ exchange: Exchange?, for duration: Duration?, endsWithInput: Bool = false,
        on loop: isolated EventLoop,
        interrupted: @escaping (Held, Interruption) -> Void
    ) {
        self.interrupted = interrupted
        if let duration { timer = loop.schedule(after: duration, self) }
        exchange?.observeClose(self, endsWithInput: endsWithInput, on: loop)
    }

    /// Has waited for long enough at the end of the turn.
    func hurry(on loop: isolated EventLoop) {
        if !isOver { loop.rearm(&timer, at: loop.now, self) }
    }

    func end(on loop: isolated EventLoop) {
        loop.cancel(timer)
        interrupted = nil
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        interrupt(.timeout, on: loop)
    }

    func exchangeClosed(on loop: isolated EventLoop) {
        interrupt(.clientGone, on: loop)
    }

    func exchangeDraining(on loop: isolated EventLoop) {
        interrupted?(self, .draining)
    }

    private func interrupt(_ interruption: Interruption, on loop: isolated EventLoop) {
        let interrupted = interrupted
        end(on: loop)
        interrupted?(self, interruption)
    }
}
