/// Where an entry stands: its number, its origin, and the chain of causes that led to it.
struct Provenance: Sendable {
    var version: UInt64
    var origin: Origin
    /// The version that started the effect which reported it, or whose commit dispatched it.
    var cause: UInt64?
    /// The version, not itself caused by another one, at the beginning of the chain.
    var root: UInt64
    /// How many causes lie before this one.
    var depth = 0
    /// Those causes, the oldest first.
    var chain: [UInt64] = []

    /// Whether another entry led to it.
    var isCaused: Bool { root != version }
}

/// What follows from one root without a pause.
struct Descendants {
    /// What is queued or reported, and not yet committed.
    var waiting = 0
    /// How many actions have followed since nothing waited last.
    var count = 0
}

/// An action that follows the present one.
struct FollowUp<Action: Sendable> {
    var action: Action
    var origin: Origin
    /// Where there are several, of which all are taken or none: these, that one among them.
    var batch: [Action] = []
    var cause: UInt64? = nil
    var root: UInt64? = nil
    var depth = 0
    var chain: [UInt64] = []
    /// Interceptors before this one have seen it already.
    var firstInterceptor = 0
    /// The effect that reported it.
    var effect: String? = nil

    /// How many actions it is.
    var count: Int { max(1, batch.count) }

    /// Its cause, as deep as itself: what comes of it while it is no entry is one deeper.
    var deepened: Provenance? {
        guard let cause, let root else { return nil }
        return Provenance(
            version: cause, origin: origin, root: root, depth: depth,
            chain: Array(chain.dropLast()))
    }
}

/// What follows the present action, first in, first out.
struct FollowUps<Action: Sendable> {
    private var actions: [FollowUp<Action>?] = []
    private var taken = 0

    /// How many actions that is.
    private(set) var count = 0
    /// Kept, and not computed, because it is asked for around every action.
    private(set) var isEmpty = true

    mutating func append(_ next: FollowUp<Action>) {
        actions.append(next)
        count += next.count
        isEmpty = false
    }

    /// The next one; constant time on average.
    mutating func popFirst() -> FollowUp<Action>? {
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
        actions = []
        taken = 0
        count = 0
        isEmpty = true
    }
}
