/// The kind of a piece of work, with what it needs to run.
enum WorkKind<Action: Sendable>: Sendable {
    /// Ends by itself; `settle` waits for it.
    case once(WorkOperation<Action>)
    /// Reports until it is cancelled.
    case subscription(WorkOperation<Action>)
    /// Reports an action at a time, without a task.
    case alarm(at: Timestamp, Action)
    /// Stands for others.
    case group(members: @Sendable () -> [Work<Action>])

    /// The same kind, whose actions are embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> WorkKind<Parent> {
        switch self {
        case .once(let operation): .once(operation.mapped(embed))
        case .subscription(let operation): .subscription(operation.mapped(embed))
        case .alarm(let time, let action): .alarm(at: time, embed(action))
        case .group(let members): .group { members().map { $0.mapped(embed) } }
        }
    }
}
