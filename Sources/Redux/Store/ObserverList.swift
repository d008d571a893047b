import Synchronization

/// The observers of a store, in the order of their coming.
@usableFromInline
package final class ObserverList<State: Sendable & Equatable> {
    /// A sequence without a reader is gone; the others are told the state before and the state after.
    @usableFromInline
    var observers: [(id: UInt64, isGone: () -> Bool, tell: (State, State) -> Void)] = []
    /// Kept, and not computed, so that the array is not asked around every action.
    @usableFromInline var isEmpty = true
    private var lastID: UInt64 = 0
    /// Counts the changes of the list, so that a round of notifications sees them.
    private var changes = 0
    /// The state before a group of entries that has changed it, of which observers are told at its
    /// end.
    private var untold: State?

    /// Tells every observer of a change, in their order. One who goes meanwhile is not told; one who
    /// comes meanwhile has been told when it came.
    @usableFromInline
    func tell(of old: State, _ new: State) {
        let start = changes
        for observer in observers where changes == start || holds(observer.id) {
            observer.tell(old, new)
        }
    }

    private func holds(_ id: UInt64) -> Bool { observers.contains { $0.id == id } }

    /// Tells of the steps of a group at the last of them, as of one.
    func tell(of old: State, _ new: State, changed: Bool, isLast: Bool) {
        guard !isEmpty else { return }
        if !isLast {
            if changed, untold == nil { untold = old }
        } else if let first = untold {
            untold = nil
            tell(of: first, new)
        } else if changed {
            tell(of: old, new)
        }
    }

    /// Tells of each change of a selected value.
    @inlinable
    package func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        subscribe { old, new in
            let value = select(new)
            if value != select(old) { onChange(value) }
        }
    }

    @usableFromInline
    func subscribe(_ tell: @escaping (State, State) -> Void) -> Subscription {
        let id = add(tell)
        return Subscription { [weak self] in
            guard let self else { return }
            observers.removeAll { $0.id == id || $0.isGone() }
            changes += 1
            isEmpty = observers.isEmpty
            if isEmpty { untold = nil }
        }
    }

    private func add(
        isGone: @escaping () -> Bool = { false }, _ tell: @escaping (State, State) -> Void
    ) -> UInt64 {
        lastID += 1
        observers.removeAll { $0.isGone() }
        observers.append((lastID, isGone, tell))
        changes += 1
        isEmpty = false
        return lastID
    }

    /// A selected value as a sequence: the present one, then each that differs.
    func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value, from state: State
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let feed = Feed(continuation)
        continuation.onTermination = { [weak feed] _ in feed?.leave() }
        var last = select(state)
        continuation.yield(last)
        _ = add(isGone: { feed.isGone }) { _, state in
            guard !feed.isGone else { return }
            let value = select(state)
            guard value != last else { return }
            last = value
            feed.continuation.yield(value)
        }
        return stream
    }
}

/// The writing end of a sequence of values, which ends with it. Its reader may leave on any thread.
private final class Feed<Value: Sendable>: Sendable {
    let continuation: AsyncStream<Value>.Continuation
    private let gone = Atomic(false)

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }

    var isGone: Bool { gone.load(ordering: .acquiring) }

    func leave() { gone.store(true, ordering: .releasing) }
}

/// Keeps an observer; ends when it is cancelled or let go of.
public final class Subscription {
    private var end: (() -> Void)?

    @usableFromInline
    init(end: @escaping () -> Void) {
        self.end = end
    }

    deinit { end?() }

    /// Tells no more.
    public func cancel() {
        end?()
        end = nil
    }
}

/// A state whose parts can be read as sequences of values.
public protocol StateSequences<State> {
    associatedtype State

    /// A part of the state as a sequence: its present value, then each that differs. One who reads
    /// slowly misses values, never the newest: at most one waits.
    ///
    /// Ends when the store goes. Not to be read by two at once.
    func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value
    ) -> AsyncStream<Value>
}

extension StateSequences {
    /// A part of the state that can leave it, as a sequence that stays: in scope, out of scope,
    /// and in scope again when it comes back.
    ///
    ///     for await profile in store.scopedValues(of: { $0.signedIn?.profile }) {
    ///         switch profile {
    ///         case .inScope(let profile): show(profile)
    ///         case .outOfScope: hide()
    ///         }
    ///     }
    ///
    /// The present value first, then each that differs. One who reads slowly misses values, never
    /// the newest: a part that left and came back meanwhile was never gone.
    public func scopedValues<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value?
    ) -> AsyncStream<ScopedState<Value>> {
        values(of: { ScopedState(select($0)) })
    }

    /// A part of the state that can leave it, as a sequence that ends when it does: for work that
    /// is over with its screen. Empty where the part is not there to begin with.
    ///
    /// A part that leaves has left, also if it is back before a slow reader looks: its sequence
    /// ends, and a new one shows what came back.
    public func valuesInScope<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value?
    ) -> ValuesInScope<Value> {
        var hasLeft = false
        let values = values { state -> ScopedState<Value> in
            let value = hasLeft ? nil : select(state)
            hasLeft = value == nil
            return ScopedState(value)
        }
        return ValuesInScope(values: values)
    }
}
