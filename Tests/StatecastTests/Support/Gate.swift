import Synchronization

/// Holds those who wait until it is opened, and stays open.
final class Gate: Sendable {
    private struct Waiting {
        var isOpen = false
        var continuations: [CheckedContinuation<Void, Never>] = []
    }

    private let waiting = Mutex(Waiting())

    /// Goes on once the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                if !waiting.isOpen { waiting.continuations.append(continuation) }
                return waiting.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets everybody through.
    func open() {
        let continuations = waiting.withLock { waiting in
            waiting.isOpen = true
            let all = waiting.continuations
            waiting.continuations = []
            return all
        }
        for continuation in continuations { continuation.resume() }
    }
}
