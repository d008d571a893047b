internal import Sockets

/// Waits until every loop has let go of its last connection.
final class DrainObserver: Sendable {
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
        take { $0.loopsLeft -= 1 }
    }

    /// Lets `wait` return although connections are left.
    func giveUp() {
        take { $0.hasGivenUp = true }
    }

    /// Returns true when the loops are empty, false after `giveUp`. For one caller.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            take { $0.continuation = continuation }
        }
    }

    private func take(_ change: (inout Wait) -> Void) {
        let (ready, isEmpty) = state.withLock { wait in
            change(&wait)
            let isEmpty = wait.loopsLeft <= 0
            return (isEmpty || wait.hasGivenUp ? wait.continuation.take() : nil, isEmpty)
        }
        ready?.resume(returning: isEmpty)
    }
}
