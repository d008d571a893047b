/// An effect that was started and is not over.
struct EffectEntry<Action: Sendable> {
    var effect: Effect<Action>
    /// The entry that started it.
    var cause: Cause
    /// The place where its action goes on, if it is one that waits for a delayed action.
    var continuation: DelayedAction<Action>.Continuation?
    var id: UInt64
    /// When it began or was queued, by the store's clock.
    var begin: Duration
    var startedAt: Timestamp

    /// The effect's name, or one that it has in this store alone: `effect-17`.
    var name: String { effect.name ?? "effect-\(id)" }
}
