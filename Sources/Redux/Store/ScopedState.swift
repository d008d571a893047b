/// A part of the state that may not be there: a screen that is not shown, a person who is not
/// signed in.
///
///     store.observe({ ScopedState($0.signedIn?.profile) }) { profile in … }
public enum ScopedState<Value> {
    /// The part is there.
    case inScope(Value)
    /// The part has left the state, or was never in it. It may come back.
    case outOfScope

    /// A part that is there unless it is nil.
    public init(_ value: Value?) {
        self = value.map(Self.inScope) ?? .outOfScope
    }

    /// The part; nil out of scope.
    public var value: Value? {
        if case .inScope(let value) = self { value } else { nil }
    }

    /// The part is there.
    public var isInScope: Bool {
        if case .inScope = self { true } else { false }
    }

    /// A part of the part, out of scope with it.
    public func map<Other>(_ transform: (Value) -> Other) -> ScopedState<Other> {
        ScopedState<Other>(value.map(transform))
    }

    /// A part of the part that may not be there although the part is.
    public func flatMap<Other>(_ transform: (Value) -> Other?) -> ScopedState<Other> {
        ScopedState<Other>(value.flatMap(transform))
    }
}

extension ScopedState: Equatable where Value: Equatable {}
extension ScopedState: Hashable where Value: Hashable {}
extension ScopedState: Sendable where Value: Sendable {}

/// The values of a part of a state for as long as it is there.
public struct ValuesInScope<Value: Sendable>: AsyncSequence, Sendable {
    let values: AsyncStream<ScopedState<Value>>

    /// Reads the values one by one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(values: values.makeAsyncIterator())
    }

    /// Reads the values until the part leaves.
    public struct Iterator: AsyncIteratorProtocol {
        var values: AsyncStream<ScopedState<Value>>.Iterator
        var hasEnded = false

        /// The next value; nil once the part has left, or the store has gone.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Value? {
            guard !hasEnded else { return nil }
            let value = await values.next(isolation: actor)?.value
            hasEnded = value == nil
            return value
        }
    }
}
