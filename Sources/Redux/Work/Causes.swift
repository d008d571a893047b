/// The caused actions of a store, and the work that is open for each root: bounded, so that what
/// causes itself comes to an end.
///
/// It is an object, as an incoming action is: see ``PendingEntry``.
final class Causes<Action: Sendable> {
    /// A bound that an action exceeds.
    enum Excess: Sendable, Hashable {
        /// As many actions as allowed wait.
        case queue
        /// Its chain is as long as allowed.
        case chain([UInt64])
        /// Its root has caused as many as allowed; told once.
        case root([UInt64], isFirst: Bool)
    }

    private let limits: StoreLimits
    private var queue = ActionQueue<Action>()
    private var open: [UInt64: OpenWork] = [:]
    /// Roots without open work that nobody was told of yet, with the last cause of each.
    private var ended: [UInt64: Cause] = [:]
    /// The entry that causes what is dispatched now; nil: the last committed one.
    var present: Cause?

    init(limits: StoreLimits) {
        self.limits = limits
    }

    /// Nothing waits and nothing is open.
    var isEmpty: Bool { queue.isEmpty && open.isEmpty }

    /// Actions wait.
    var hasActions: Bool { !queue.isEmpty }

    /// Roots have ended, and nobody was told.
    var hasEnded: Bool { !ended.isEmpty }

    /// A root waits for something.
    func isOpen(_ root: UInt64) -> Bool { open[root] != nil }

    // MARK: Actions

    /// Lets an action wait, unless a bound is reached.
    func enqueue(_ action: IncomingAction<Action>, after cause: Cause) -> Excess? {
        guard queue.count + action.count <= limits.queuedActions else { return .queue }
        guard cause.depth < limits.chainLength else { return .chain(cause.path) }
        var work = open[cause.root] ?? OpenWork()
        guard work.total + action.count <= limits.followingActions else {
            let isFirst = work.total <= limits.followingActions
            open[cause.root]?.total = limits.followingActions + 1
            return .root(cause.path, isFirst: isFirst)
        }
        work.count += 1
        work.total += action.count
        open[cause.root] = work
        queue.append(action.caused(by: cause))
        return nil
    }

    /// Lets a report of an effect wait: the number of these is bounded where they come from.
    func enqueue(reported action: IncomingAction<Action>) {
        guard let cause = action.cause else {
            preconditionFailure("An effect reports with the cause that started it.")
        }
        open[cause.root, default: OpenWork()].count += 1
        queue.append(action)
    }

    /// Takes the action that has waited longest. It stays open until `close`.
    func next() -> IncomingAction<Action>? { queue.popFirst() }

    // MARK: Open work

    /// Opens an entry that waits for its commit.
    func open(_ root: UInt64) {
        open[root, default: OpenWork()].count += 1
    }

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
        queue.removeAll()
        for root in open.keys { ended[root] = Cause(version: root, origin: .effect) }
        open = [:]
        for root in roots { open(root) }
    }
}

/// The work that one root has caused without a pause.
///
/// It stands outside of the causes, of which there is a type for each type of actions: the dictionary
/// that holds it has one type.
private struct OpenWork {
    /// Actions that wait or were reported, and entries that are not yet committed.
    var count = 0
    /// All actions since nothing was open last.
    var total = 0
}

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
