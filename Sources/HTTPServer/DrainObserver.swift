internal import Sockets

/// Waits until every loop has let go of its last connection.
final class DrainObserver: Sendable {
    private struct Wait {
        var loopsLeft: Int
        var continuation: CheckedContinuation<Void, Never>?
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
        take { $0.loopsLeft = 0 }
    }

    /// Returns when the loops are empty, or after `giveUp`. For one caller.
    func wait() async {
        await withCheckedContinuation { continuation in
            take { $0.continuation = continuation }
        }
    }

    private func take(_ change: (inout Wait) -> Void) {
        let ready = state.withLock { wait -> CheckedContinuation<Void, Never>? in
            change(&wait)
            guard wait.loopsLeft <= 0 else { return nil }
            return wait.continuation.take()
        }
        ready?.resume()
    }
}
