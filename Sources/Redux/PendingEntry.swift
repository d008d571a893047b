/// An entry that is decided and not yet committed.
///
/// It is an object, as are an incoming action and a proposal: in code that is compiled for all types,
/// a value with a state in it costs a look-up of its type wherever it is copied.
@usableFromInline
final class PendingEntry<State: Sendable, Action: Sendable>: Sendable {
    /// The entry that caused it; nil: it comes from outside.
    let cause: Cause?
    /// The chain of causes in other sessions that has led to it.
    let chain: OuterChain?
    /// The last of those that were decided together.
    let isLast: Bool
    @usableFromInline let entry: Entry<Action>
    /// The state after the last of those that were decided together; of the others, the state before
    /// the first. Nobody sees a state between them, so that a batch of a thousand keeps one state.
    let state: State

    // By itself, it would look its type up once more.
    @inline(__always)
    init(
        _ entry: Entry<Action>, cause: Cause?, chain: OuterChain? = nil, isLast: Bool = true,
        state: State
    ) {
        self.cause = cause
        self.chain = chain
        self.isLast = isLast
        self.entry = entry
        self.state = state
    }

    /// The number that it will have.
    var version: UInt64 { entry.version }

    /// The state differs from the one before it.
    var changed: Bool { entry.changed }

    @usableFromInline var isCaused: Bool { cause != nil }

    /// Itself, as the cause of what comes of its commit.
    var asCause: Cause {
        Cause(version: entry.version, origin: entry.origin, after: cause, in: chain)
    }

    /// The same, before others that were decided together with it, on top of a state.
    func followed(on base: State) -> PendingEntry {
        PendingEntry(entry, cause: cause, chain: chain, isLast: false, state: base)
    }
}
