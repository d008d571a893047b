/// The asynchronous part of a piece of work, once it is about to run.
struct WorkOperation<Action: Sendable>: Sendable {
    /// Does the work, and answers with the action that ends it, if there is one.
    let run: @Sendable (WorkContext<Action>) async throws -> Action?
    /// The action for the problem that is left after the last try; without it, operators are told.
    let failure: (@Sendable (Problem) -> Action)?

    init(
        failure: (@Sendable (Problem) -> Action)?,
        _ run: @escaping @Sendable (WorkContext<Action>) async throws -> Action?
    ) {
        self.run = run
        self.failure = failure
    }

    /// The same operation, whose actions are embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> WorkOperation<Parent> {
        var reported: (@Sendable (Problem) -> Parent)?
        if let failure { reported = { embed(failure($0)) } }
        return WorkOperation<Parent>(failure: reported) { [run] context in
            let action = try await run(context.mapped(embed))
            return action.map(embed)
        }
    }
}
