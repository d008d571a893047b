/// An entry that is decided and not yet committed.
///
/// It is an object, as are an incoming action and a proposal: in code that is compiled for all types,
/// a value with a state in it costs a look-up of its type wherever it is copied.
@usableFromInline
final class PendingEntry<State: Sendable, Action: Sendable>: Sendable {
    /// The number that it will have.
    let version: UInt64
    /// The action as the reducer saw it; nil where the state was set by hand.
    let action: Action?
    let origin: Origin
    /// The step that the reducer was given.
    let record: StepRecord
    /// The entry that caused it; nil: it comes from outside.
    let cause: Cause?
    /// The chain of causes in other sessions that has led to it.
    let chain: OuterChain?
    /// The state differs from the one before it.
    let changed: Bool
    /// The last of those that were decided together.
    let isLast: Bool
    /// The state after the last of those that were decided together; of the others, the state before
    /// the first. Nobody sees a state between them, so that a batch of a thousand keeps one state.
    let state: State

    // By itself, it would look its type up once more.
    @inline(__always)
    init(
        version: UInt64, action: Action?, origin: Origin, record: StepRecord, cause: Cause?,
        chain: OuterChain? = nil, changed: Bool, isLast: Bool = true, state: State
    ) {
        self.version = version
        self.action = action
        self.origin = origin
        self.record = record
        self.cause = cause
        self.chain = chain
        self.changed = changed
        self.isLast = isLast
        self.state = state
    }

    @usableFromInline var isCaused: Bool { cause != nil }

    /// Itself, as the cause of what comes of its commit.
    var asCause: Cause { Cause(version: version, origin: origin, after: cause, in: chain) }

    /// The same, before others that were decided together with it, on top of a state.
    func followed(on base: State) -> PendingEntry {
        PendingEntry(
            version: version, action: action, origin: origin, record: record, cause: cause,
            chain: chain, changed: changed, isLast: false, state: base)
    }
}
