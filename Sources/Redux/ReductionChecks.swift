/// The checks of a reducer while an application is developed. They cost a second
/// reduction, two readings of the clock and a walk through the state for each action.
///
///     store.checks = ReductionChecks()
///     store.onDiagnostic = { print($0) }
///
/// What is found is told as a `StoreDiagnostic`; the action goes its way.
public struct ReductionChecks<State>: Sendable {
    /// Each reduction runs twice, on equal states and actions, and must do the same: no time, chance,
    /// id or order of a set has gone into it.
    public var repeatsReductions: Bool
    /// The time that a reduction may take, by the environment's clock; nil: for ever.
    public var timeBudget: Duration?
    /// The size that a changed state may have, in bytes as `byteCount` counts them; nil: any.
    public var sizeBudget: Int?
    /// The size of a state. May stop counting beyond the limit, its second argument.
    public var byteCount: @Sendable (State, Int) -> Int

    /// Checks with budgets that an ordinary session stays far below.
    public init(
        repeatsReductions: Bool = true, timeBudget: Duration? = .milliseconds(10),
        sizeBudget: Int? = 1 << 20,
        byteCount: @escaping @Sendable (State, Int) -> Int = StateSize.byteCount
    ) {
        self.repeatsReductions = repeatsReductions
        self.timeBudget = timeBudget
        self.sizeBudget = sizeBudget
        self.byteCount = byteCount
    }
}
