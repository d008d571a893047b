/// One-shot work: a value, an operation on it, and the action that its answer makes.
@usableFromInline
final class OneShotWork<Value: Equatable & Sendable, Output: StateValue, Action: Sendable>: WorkBody
{
    @usableFromInline
    enum Operation: Sendable {
        case of(@Sendable (Value) async throws -> Output)
        case with(@Sendable (Value, WorkContext<Action>) async throws -> Output)
    }

    @usableFromInline let name: WorkName
    @usableFromInline let value: Value
    @usableFromInline let policy: WorkPolicy
    @usableFromInline let operation: Operation
    @usableFromInline let then: @Sendable (Answer<Output>) -> Action

    @inlinable
    init(
        _ name: WorkName, _ value: Value, _ policy: WorkPolicy, _ operation: Operation,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.name = name
        self.value = value
        self.policy = policy
        self.operation = operation
        self.then = then
    }

    @usableFromInline var kind: any Sendable {
        WorkKind<Action>.once(
            WorkOperation(failure: { [then] in then(.problem($0)) }) {
                [value, operation, then] context in
                switch operation {
                case .of(let operation): then(.value(try await operation(value)))
                case .with(let operation): then(.value(try await operation(value, context)))
                }
            })
    }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.value == value
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.value == value
    }
}

/// Work that reports until it is cancelled.
@usableFromInline
final class SubscribingWork<Value: Equatable & Sendable, Action: Sendable>: WorkBody {
    @usableFromInline typealias Operation =
        @Sendable (Value, WorkContext<Action>) async throws -> Void

    @usableFromInline let name: WorkName
    @usableFromInline let value: Value
    @usableFromInline let policy: WorkPolicy
    @usableFromInline let operation: Operation
    @usableFromInline let failure: (@Sendable (Problem) -> Action)?

    @inlinable
    init(
        _ name: WorkName, _ value: Value, _ policy: WorkPolicy, _ operation: @escaping Operation,
        catch failure: (@Sendable (Problem) -> Action)?
    ) {
        self.name = name
        self.value = value
        self.policy = policy
        self.operation = operation
        self.failure = failure
    }

    @usableFromInline var kind: any Sendable {
        WorkKind<Action>.subscription(
            WorkOperation(failure: failure) { [value, operation] context in
                try await operation(value, context)
                return nil
            })
    }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.value == value
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.value == value
    }
}

/// Work that keeps a value under a key beyond the session.
@usableFromInline
final class KeepingWork<Value: Equatable & Sendable, Action: Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let value: Value?
    @usableFromInline let values: SavedValues<Value>
    @usableFromInline let key: String
    @usableFromInline let failure: (@Sendable (Problem) -> Action)?

    @inlinable
    init(
        _ name: WorkName, _ value: Value?, in values: SavedValues<Value>, under key: String,
        catch failure: (@Sendable (Problem) -> Action)?
    ) {
        self.name = name
        self.value = value
        self.values = values
        self.key = key
        self.failure = failure
    }

    /// A write that is under way ends before the next one begins.
    @usableFromInline var policy: WorkPolicy { .finishing.retrying(3) }

    @usableFromInline var kind: any Sendable {
        WorkKind<Action>.once(
            WorkOperation(failure: failure) { [value, values, key] context in
                if context.isFirst {
                    try await values.keep(value, under: key)
                } else if let value {
                    try await values.save(value, under: key)
                } else {
                    try await values.delete(key)
                }
                return nil
            })
    }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.key == key && other.value == value
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.key == key && other.value == value
    }
}

/// Work that waits for a time; its value is the time and the action.
@usableFromInline
final class WaitingWork<Action: Equatable & Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let time: Timestamp
    @usableFromInline let action: Action

    @inlinable
    init(_ name: WorkName, until time: Timestamp, _ action: Action) {
        self.name = name
        self.time = time
        self.action = action
    }

    @usableFromInline var policy: WorkPolicy { WorkPolicy() }
    @usableFromInline var kind: any Sendable { WorkKind<Action>.alarm(at: time, action) }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.time == time && other.action == action
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.time == time && other.action == action
    }
}

/// Work that stands for others, which are made only when the part has changed.
@usableFromInline
final class GroupedWork<Part: Equatable & Sendable, Action: Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let part: Part
    @usableFromInline let members: @Sendable (Part) -> [Work<Action>]

    @inlinable
    init(
        _ name: WorkName, _ part: Part, _ members: @escaping @Sendable (Part) -> [Work<Action>]
    ) {
        self.name = name
        self.part = part
        self.members = members
    }

    @usableFromInline var policy: WorkPolicy { WorkPolicy() }
    @usableFromInline var kind: any Sendable {
        WorkKind<Action>.group { [part, members] in members(part) }
    }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.part == part
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && other.part == part
    }
}

/// A child's work as its parent's. Nothing is embedded before something runs.
@usableFromInline
final class MappedWork<Child: Sendable, Action: Sendable>: WorkBody {
    @usableFromInline let name: WorkName
    @usableFromInline let child: any WorkBody
    @usableFromInline let embed: @Sendable (Child) -> Action

    @inlinable
    init(
        _ child: Work<Child>, _ name: WorkName, _ embed: @escaping @Sendable (Child) -> Action
    ) {
        self.child = child.body
        self.name = name
        self.embed = embed
    }

    @usableFromInline var policy: WorkPolicy { child.policy }
    @usableFromInline var kind: any Sendable { Work<Child>(child).kind.mapped(embed) }

    @usableFromInline
    func hasSameValue(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return child.hasSameValue(as: other.child)
    }

    @usableFromInline
    func isSame(as other: any WorkBody) -> Bool {
        guard let other = other as? Self else { return false }
        return other.name == name && child.hasSameValue(as: other.child)
    }
}

/// A piece of work whose report can be made without running it: for tests.
protocol AnsweringWork: WorkBody {
    /// The type of the answer, or of the problem.
    var answerType: any (Decodable & Sendable).Type { get }

    /// The action that the work would report; nil where it says nothing.
    func report(of answer: any Decodable) -> (any Sendable)?
}

extension OneShotWork: AnsweringWork {
    var answerType: any (Decodable & Sendable).Type { Answer<Output>.self }

    func report(of answer: any Decodable) -> (any Sendable)? {
        (answer as? Answer<Output>).map(then)
    }
}

extension SubscribingWork: AnsweringWork {
    var answerType: any (Decodable & Sendable).Type { Problem.self }

    func report(of answer: any Decodable) -> (any Sendable)? {
        (answer as? Problem).flatMap { failure?($0) }
    }
}

extension KeepingWork: AnsweringWork {
    var answerType: any (Decodable & Sendable).Type { Problem.self }

    func report(of answer: any Decodable) -> (any Sendable)? {
        (answer as? Problem).flatMap { failure?($0) }
    }
}

extension MappedWork: AnsweringWork {
    var answerType: any (Decodable & Sendable).Type {
        (child as? any AnsweringWork)?.answerType ?? Problem.self
    }

    func report(of answer: any Decodable) -> (any Sendable)? {
        ((child as? any AnsweringWork)?.report(of: answer) as? Child).map(embed)
    }
}
