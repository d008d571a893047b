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
