/// One entry: an action as the reducer saw it, and what the reducer has to be given so that it does the
/// same again. The bytes of an action stand for it where types are not known.
@usableFromInline
package struct Entry<Action: Sendable>: Sendable {
    /// The number that it has, or will have.
    package let version: UInt64
    /// The version that started the effect which reported the action, or whose commit dispatched it.
    package let cause: UInt64?
    /// The time at which it was decided.
    package let at: Timestamp
    /// The source of the action.
    package let origin: Origin
    /// The state differs from the one before it.
    package let changed: Bool
    /// The one who sent the action; nil where the server itself did.
    package let by: Principal?
    /// The bits that its random numbers came from, where the reducer drew any.
    package let seed: Seed?
    /// The ids that it made, where these do not follow from its token.
    let ids: [String]
    /// Nil where the state was set by hand. The last property: the places of the others do not depend
    /// on its type.
    package let action: Action?

    /// The entry that a step stands for, once the reducer has run.
    init(
        _ action: Action?, _ step: Step, version: UInt64, origin: Origin, cause: UInt64?,
        changed: Bool
    ) {
        self.version = version
        self.cause = cause
        at = step.at
        self.origin = origin
        self.changed = changed
        by = step.by
        seed = step.drawnSeed
        ids = step.madeIDs
        self.action = action
    }

    /// An entry as others tell it.
    package init(
        _ action: Action?, version: UInt64, origin: Origin, cause: UInt64? = nil, changed: Bool,
        by: Principal?, at: Timestamp, seed: Seed? = nil
    ) {
        self.version = version
        self.cause = cause
        self.at = at
        self.origin = origin
        self.changed = changed
        self.by = by
        self.seed = seed
        ids = []
        self.action = action
    }

    /// The entry with its action in another form.
    package func map<Other: Sendable, Failure: Error>(
        _ transform: (Action) throws(Failure) -> Other
    ) throws(Failure) -> Entry<Other> {
        var other: Other?
        if let action { other = try transform(action) }
        return Entry<Other>(
            other, version: version, origin: origin, cause: cause, changed: changed, by: by, at: at,
            seed: seed)
    }
}
