internal import Sockets

/// Waits until every loop has let go of its last connection, or a timer of one of them says that it
/// is too late.
final class DrainObserver: TimerHandler, Sendable {
    private struct Wait {
        var loopsLeft: Int
        var hasGivenUp = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let state: Lock<Wait>

    init(loopCount: Int) {
        state = Lock(Wait(loopsLeft: loopCount))
    }

    /// One loop has no connection any more.
    func loopIsEmpty() {
        update { $0.loopsLeft -= 1 }
    }

    /// Lets `wait` return although connections are left.
    func giveUp() {
        update { $0.hasGivenUp = true }
    }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) {
        giveUp()
    }

    /// Returns true when the loops are empty, false after `giveUp`. For one caller.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            update { $0.continuation = continuation }
        }
    }

    private func update(_ change: (inout Wait) -> Void) {
        let (ready, isEmpty) = state.withLock { wait in
            change(&wait)
            let isEmpty = wait.loopsLeft <= 0
            return (isEmpty || wait.hasGivenUp ? wait.continuation.take() : nil, isEmpty)
        }
        ready?.resume(returning: isEmpty)
    }
}
