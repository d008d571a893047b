import Synchronization

@testable import Redux

/// What works have reported and the test has not handed over yet, the oldest first.
final class DeliveryList<Action: Sendable>: Sendable {
    private let all = Mutex<[StoreDelivery<Action>]>([])

    func append(_ delivery: StoreDelivery<Action>) { all.withLock { $0.append(delivery) } }

    func next() -> StoreDelivery<Action>? { all.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
