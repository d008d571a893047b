/// The caused actions of a store, and the work that is open for each root: bounded, so that what
/// causes itself comes to an end.
final class Causes<Action: Sendable> {
    private let limits: StoreLimits
    /// Wait for the present one, first in, first out.
    private var queue: ArraySlice<IncomingAction<Action>> = []
    /// The number of all actions that wait, each one of a batch counted.
    private var count = 0
    /// The work that each root has caused without a pause: actions that wait or were reported, and
    /// entries that are not yet committed; and all actions since nothing was open last.
    private var open: [UInt64: (count: Int, total: Int)] = [:]
    /// Roots without open work that nobody was told of yet, with the last cause of each.
    private var ended: [UInt64: Cause] = [:]
    /// The entry that causes what is dispatched now; nil: the last committed one.
    var present: Cause?

    init(limits: StoreLimits) {
        self.limits = limits
    }

    /// Nothing waits and nothing is open.
    var isEmpty: Bool { count == 0 && open.isEmpty }

    /// Actions wait.
    var hasActions: Bool { count > 0 }

    /// Roots have ended, and nobody was told.
    var hasEnded: Bool { !ended.isEmpty }

    /// A root waits for something.
    func isOpen(_ root: UInt64) -> Bool { open[root] != nil }

    // MARK: Actions

    /// Lets an action wait, unless a bound is reached; then it answers with what the sender is told, and
    /// for a chain that is cut with the limit: one that branches too much is told of once.
    func enqueue(
        _ action: IncomingAction<Action>, after cause: Cause
    ) -> (rejection: Rejection, cut: Int?)? {
        guard count + action.actions.count <= limits.queuedActions else {
            return (.tooManyActions, nil)
        }
        guard cause.depth < limits.chainLength else { return (.chainCut, limits.chainLength) }
        var work = open[cause.root] ?? (0, 0)
        let limit = limits.followingActions
        guard work.total + action.actions.count <= limit else {
            open[cause.root]?.total = limit + 1
            return (.chainCut, work.total <= limit ? limit : nil)
        }
        work.count += 1
        work.total += action.actions.count
        open[cause.root] = work
        append(action.caused(by: cause))
        return nil
    }

    /// Lets a report of an effect wait: the number of these is bounded where they come from.
    func enqueue(reported action: IncomingAction<Action>) {
        guard let cause = action.cause else {
            preconditionFailure("An effect reports with the cause that started it.")
        }
        open[cause.root, default: (0, 0)].count += 1
        append(action)
    }

    private func append(_ action: IncomingAction<Action>) {
        queue.append(action)
        count += action.actions.count
    }

    /// Takes the action that has waited longest. It stays open until `close`.
    func next() -> IncomingAction<Action>? {
        guard let next = queue.popFirst() else { return nil }
        // A slice keeps what was taken out of it.
        if queue.isEmpty { queue = [] }
        count -= next.actions.count
        return next
    }

    // MARK: Open work

    /// Closes an action or an entry; the last one of its root becomes the cause of what comes of
    /// its end.
    func close(_ last: Cause) {
        guard let count = open[last.root]?.count else { return }
        if count > 1 {
            open[last.root]?.count = count - 1
        } else {
            open[last.root] = nil
            ended[last.root] = last
        }
    }

    /// Notes the end of an effect.
    func end(_ last: Cause) {
        if !isOpen(last.root) { ended[last.root] = last }
    }

    /// The roots that have ended since these were taken last, and others that an effect was
    /// cancelled of, in their order.
    func takeEnded(and cancelled: [UInt64]) -> [Cause] {
        for root in cancelled where ended[root] == nil {
            ended[root] = Cause(version: root, origin: .effect)
        }
        defer { ended = [:] }
        return ended.values.sorted { $0.root < $1.root }
    }

    /// Forgets the actions that wait. What stays open are the entries, one for each of the roots.
    func cancel(keeping roots: [UInt64]) {
        (queue, count) = ([], 0)
        for root in open.keys { ended[root] = Cause(version: root, origin: .effect) }
        open = [:]
        for root in roots { open[root, default: (0, 0)].count += 1 }
    }
}
