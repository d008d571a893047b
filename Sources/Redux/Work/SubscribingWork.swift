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
