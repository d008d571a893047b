/// An action that a piece of work reports.
@usableFromInline
struct WorkReport<Action: Sendable>: Sendable {
    let action: Action
    /// The run that it is of.
    let run: UInt64
    /// The full name of the work.
    let name: String
    /// The entry that wanted the work.
    let cause: Cause
    /// The principal that caused it; never an authority.
    let by: Principal?
    let isAlarm: Bool
    /// For operators: the error behind a problem that does not tell it.
    var error: String?
}
