/// A thing that a state wants to have going on outside of the reducer: an answer that is awaited, a
/// subscription, an alarm, a value to keep.
///
/// An application lists it in `work(in: state)`. After each publication that has changed the state
/// the list is compared with the one before, by name and value: work that is new is started, work
/// that is gone is cancelled, work with another value is cancelled and started, and the same work is
/// left alone.
///
///     func work(in state: State) -> [Work<Action>] {
///         if state.results.isLoading {
///             Work("search", for: state.text, policy: .debounced(.milliseconds(300)), search) {
///                 .found($0)
///             }
///         }
///     }
///
/// - Everything that an operation uses stands in its value: of equal works the first one's closures
///   run.
/// - Work ends by changing the state: ended and still wanted, it does not start again until its
///   value changes or the session is loaded again.
/// - Work runs at least once: after a restart it starts again with the same key while the state
///   wants it.
/// - Of two with one name the first counts. At most a thousand run at once; others wait.
public struct Work<Action: Sendable>: Sendable {
    /// A list is made and compared after each step, so that a work is one reference.
    @usableFromInline let body: any WorkBody

    @inlinable init(_ body: any WorkBody) {
        self.body = body
    }

    var name: WorkName { body.name }

    var kind: WorkKind<Action> {
        guard let kind = body.kind as? WorkKind<Action> else {
            preconditionFailure("A work has a body that reports its actions.")
        }
        return kind
    }

    /// The work of a child as its parent's: the actions are embedded, and the names of two children
    /// in different scopes stay apart.
    public func map<Parent: Sendable>(
        in scope: some Hashable & Sendable,
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> Work<Parent> {
        let scope = WorkScope(WorkNamePart(scope), around: name.scope)
        return Work<Parent>(MappedWork(self, WorkName(name.own, in: scope), embed))
    }

    /// The same work under its name, with the actions embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> Work<Parent> {
        Work<Parent>(MappedWork(self, name, embed))
    }
}

extension Array {
    /// The works of a child as its parent's: the actions are embedded, and the names of two children
    /// in different scopes stay apart.
    @inlinable
    public func map<Action, Parent: Sendable>(
        in scope: some Hashable & Sendable,
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> [Work<Parent>] where Element == Work<Action> {
        guard !isEmpty else { return [] }
        let part = WorkNamePart(scope)
        // Works that have the same scopes of their own share the one around them.
        var shared: WorkScope?
        return map { work in
            let name = work.body.name
            let scope: WorkScope
            if let shared, shared.inner === name.scope {
                scope = shared
            } else {
                scope = WorkScope(part, around: name.scope)
                shared = scope
            }
            return Work<Parent>(
                MappedWork<Action, Parent>(work, WorkName(name.own, in: scope), embed))
        }
    }
}

/// A piece of work as an object: its name, a value to compare, and what runs for it.
///
/// A body is made for each piece of work that an application lists, and is mostly only compared with
/// the one that was listed before: what it needs to run is made when it is asked for its kind. The
/// protocol does not know the type of the actions, because casts between types that do are slow.
@usableFromInline
protocol WorkBody: AnyObject, Sendable {
    var name: WorkName { get }
    var policy: WorkPolicy { get }
    /// A `WorkKind` of the actions that the work reports.
    var kind: any Sendable { get }

    /// Tells whether the other one has a value of the same type that is equal.
    func hasSameValue(as other: any WorkBody) -> Bool
    /// Tells whether the other one has this name and this value.
    func isSame(as other: any WorkBody) -> Bool
}

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
    /// Was started by a step, and ends by itself; `settle` waits for it. What an interceptor has
    /// delayed goes on behind it.
    case effect(WorkOperation<Action>, delayedBy: InterceptorPlace?)

    /// The same kind, whose actions are embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> WorkKind<Parent> {
        switch self {
        case .once(let operation): .once(operation.mapped(embed))
        case .subscription(let operation): .subscription(operation.mapped(embed))
        case .alarm(let time, let action): .alarm(at: time, embed(action))
        case .group(let members): .group { members().map { $0.mapped(embed) } }
        case .effect(let operation, let place):
            .effect(operation.mapped(embed), delayedBy: place)
        }
    }
}

/// The asynchronous part of a piece of work, once it is about to run.
struct WorkOperation<Action: Sendable>: Sendable {
    /// The action for the problem that is left after the last try; without it, operators are told.
    var failure: (@Sendable (Problem) -> Action)?
    /// Does the work, and answers with the action that ends it, if there is one.
    let run: @Sendable (WorkContext<Action>) async throws -> Action?

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
