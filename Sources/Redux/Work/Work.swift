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
    /// The text of its name, behind the scopes around it: `post/id-1`.
    @usableFromInline let name: String
    @usableFromInline let value: any WorkValue
    /// Made when something runs: a listed work is mostly only compared with the one listed before.
    @usableFromInline let kind: @Sendable () -> WorkKind<Action>

    @inlinable
    init(
        named name: String, _ value: any WorkValue,
        _ kind: @escaping @Sendable () -> WorkKind<Action>
    ) {
        self.name = name
        self.value = value
        self.kind = kind
    }

    /// - Parameter output: tells works apart that have equal values and do different things.
    @inlinable
    init<Value: Equatable & Sendable, Output>(
        _ name: some Hashable & Sendable, _ value: Value, _ output: Output.Type,
        _ kind: @escaping @Sendable () -> WorkKind<Action>
    ) {
        self.init(named: String(workName: name), WorkInput<Value, Output>(value), kind)
    }

    /// The work of a child as its parent's: the actions are embedded, and the names of two children
    /// in different scopes stay apart.
    public func map<Parent: Sendable>(
        in scope: some Hashable & Sendable,
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> Work<Parent> {
        mapped(in: String(workName: scope) + "/", embed)
    }

    /// - Parameter scope: the scope with a slash behind it.
    @usableFromInline
    func mapped<Parent: Sendable>(
        in scope: String = "", _ embed: @escaping @Sendable (Action) -> Parent
    ) -> Work<Parent> {
        Work<Parent>(named: scope + name, value) { [kind] in kind().mapped(embed) }
    }

    @inlinable
    func isSame(_ name: String, _ value: any WorkValue) -> Bool {
        self.name == name && self.value.isEqual(to: value)
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
        let scope = String(workName: scope) + "/"
        return map { $0.mapped(in: scope, embed) }
    }
}

extension String {
    /// A part of the name of a work as text; of a list of texts the parts, joined by slashes.
    ///
    /// A slash within a part is written `~1` and a tilde `~0`, as in a JSON Pointer, so that texts in
    /// other scopes are other names.
    @inlinable
    init(workName name: some Hashable & Sendable) {
        let parts = name as? [String] ?? [name as? String ?? String(describing: name)]
        self = parts.first?.escapedInWorkName ?? ""
        for part in parts.dropFirst() { self += "/" + part.escapedInWorkName }
    }

    @usableFromInline var escapedInWorkName: String {
        let bytes = utf8.span
        guard bytes.indices.contains(where: { bytes[$0] == 0x2F || bytes[$0] == 0x7E })
        else { return self }
        return reduce(into: "") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}

/// The value of a piece of work, to be compared where its type is not known. The protocol does not
/// know the type of the actions, because casts between types that do are slow.
@usableFromInline
protocol WorkValue: AnyObject, Sendable {
    func isEqual(to other: any WorkValue) -> Bool
}

@usableFromInline
final class WorkInput<Value: Equatable & Sendable, Output>: WorkValue {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    @usableFromInline
    func isEqual(to other: any WorkValue) -> Bool {
        guard let other = other as? Self else { return false }
        return other.value == value
    }
}

/// The kind of a piece of work, with what it needs to run.
@usableFromInline
package enum WorkKind<Action: Sendable>: Sendable {
    case operation(WorkOperation<Action>)
    /// Reports an action at a time, without a task.
    case alarm(at: Timestamp, Action)
    /// Stands for others.
    case group(members: @Sendable (SessionID) -> [Work<Action>])

    /// One-shot work.
    @inlinable
    static func once<Output: StateValue>(
        _ policy: WorkPolicy,
        _ run: @escaping @Sendable (WorkContext<Action>) async throws -> Output,
        _ then: @escaping @Sendable (Answer<Output>) -> Action
    ) -> WorkKind {
        .operation(
            WorkOperation(
                .once, policy, failure: { then(.problem($0)) },
                answer: (Answer<Output>.self, { ($0 as? Answer<Output>).map(then) }),
                run: { then(.value(try await run($0))) }))
    }

    /// The same kind, whose actions are embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> WorkKind<Parent> {
        switch self {
        case .operation(let operation): .operation(operation.mapped(embed))
        case .alarm(let time, let action): .alarm(at: time, embed(action))
        case .group(let members): .group { members($0).map { $0.mapped(embed) } }
        }
    }
}

/// The asynchronous part of a piece of work, once it is about to run.
@usableFromInline
package struct WorkOperation<Action: Sendable>: Sendable {
    @usableFromInline
    package typealias Answering = (
        type: any (Decodable & Sendable).Type, action: @Sendable (any Decodable) -> Action?
    )

    let role: WorkRole
    let policy: WorkPolicy
    /// An interceptor has delayed what the effect sends, which goes on as it came.
    var resumed: (arrival: Arrival, action: Action, wait: Duration)?
    /// The action for the problem that is left after the last try; without it, operators are told.
    let failure: (@Sendable (Problem) -> Action)?
    /// The type of the answer, or of the problem, and the action that the operation would report of
    /// one; nil where it says nothing. For tests.
    package let answer: Answering
    /// Does the work, and answers with the action that ends it, if there is one.
    let run: @Sendable (WorkContext<Action>) async throws -> Action?

    @usableFromInline
    init(
        _ role: WorkRole, _ policy: WorkPolicy = WorkPolicy(),
        failure: (@Sendable (Problem) -> Action)? = nil,
        answer: Answering? = nil,
        run: @escaping @Sendable (WorkContext<Action>) async throws -> Action?
    ) {
        self.role = role
        self.policy = policy
        self.failure = failure
        self.answer = answer ?? (Problem.self, { ($0 as? Problem).flatMap { failure?($0) } })
        self.run = run
    }

    /// The same operation, whose actions are embedded in a parent's.
    func mapped<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> WorkOperation<Parent> {
        var reported: (@Sendable (Problem) -> Parent)?
        if let failure { reported = { embed(failure($0)) } }
        return .init(
            role, policy, failure: reported,
            answer: (answer.type, { [answer] in answer.action($0).map(embed) }),
            run: { [run] in try await run($0.mapped(embed)).map(embed) })
    }

    /// The time that each try may take.
    var timeout: Duration? {
        role == .once ? policy.timeout ?? .seconds(60) : policy.timeout
    }
}

/// The part that an operation plays.
@usableFromInline
enum WorkRole: Sendable {
    /// Ends by itself; `settle` waits for it.
    case once
    /// Reports until it is cancelled.
    case subscription
    /// Was started by a step, and ends by itself; `settle` waits for it.
    case effect
}
