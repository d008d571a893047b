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
