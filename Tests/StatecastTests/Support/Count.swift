import Sockets

/// A number that grows, and those who wait until it has reached another.
final class Count: Sendable {
    private struct Value {
        var number = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let value = Lock(Value())

    /// Changes the number and lets through who has waited for it.
    func add(_ difference: Int = 1) {
        let ready = value.withLock { value in
            value.number += difference
            let number = value.number
            let ready = value.waiting.filter { $0.number <= number }
            value.waiting.removeAll { $0.number <= number }
            return ready
        }
        for one in ready { one.continuation.resume() }
    }

    /// Goes on once the number is at least this.
    func reaches(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = value.withLock { value in
                if value.number < number { value.waiting.append((number, continuation)) }
                return value.number >= number
            }
            if isThere { continuation.resume() }
        }
    }
}
