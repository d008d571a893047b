/// Actions that wait for the present one, first in, first out.
struct ActionQueue<Action: Sendable> {
    private var actions: [IncomingAction<Action>?] = []
    private var taken = 0

    /// The number of all actions, each one of a batch counted.
    private(set) var count = 0
    /// Kept, and not computed, because it is asked for around every action.
    private(set) var isEmpty = true

    mutating func append(_ action: IncomingAction<Action>) {
        actions.append(action)
        count += action.count
        isEmpty = false
    }

    /// Takes the next one; constant time on average.
    mutating func popFirst() -> IncomingAction<Action>? {
        guard !isEmpty else { return nil }
        let next = actions[taken]
        count -= next?.count ?? 0
        actions[taken] = nil
        taken += 1
        isEmpty = taken == actions.count
        if taken == actions.count || taken > 64 && taken * 2 > actions.count {
            actions.removeFirst(taken)
            taken = 0
        }
        return next
    }

    mutating func removeAll() {
        self = ActionQueue()
    }
}
