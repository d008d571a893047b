public import Synchronization

/// The observers of a store, in the order of their coming.
@usableFromInline
package final class ObserverList<State: Sendable & Equatable> {
    private final class Observer {
        /// Nil once it has gone.
        var tell: ((_ old: State, _ new: State) -> Void)?
        /// The reader of its sequence may have gone.
        let feed: Feed?

        init(_ feed: Feed?, _ tell: @escaping (State, State) -> Void) {
            self.feed = feed
            self.tell = tell
        }
    }

    private var observers: [Observer] = []
    /// Atomic, as what is asked around every action; see `Ledger`.
    @usableFromInline let hasNone = Atomic(true)

    /// Tells every observer of a change, in their order. One who goes meanwhile is not told; one who
    /// comes meanwhile has been told when it came.
    @usableFromInline
    func tell(of old: State, _ new: State) {
        let observers = observers
        for index in 0..<observers.count { observers[index].tell?(old, new) }
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

    /// Tells of each change.
    @usableFromInline
    package func subscribe(_ tell: @escaping (State, State) -> Void) -> Subscription {
        let observer = Observer(nil, tell)
        replace(with: observers + [observer])
        return Subscription { [weak self] in
            observer.tell = nil
            if let self { replace(with: observers) }
        }
    }

    /// Those who have gone are left out.
    private func replace(with list: [Observer]) {
        observers = list.filter { $0.tell != nil && $0.feed?.isGone != true }
        hasNone.store(observers.isEmpty, ordering: .relaxed)
    }

    /// A selected value as a sequence: the present one, then each that differs.
    func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value, from state: State
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let feed = Feed { continuation.finish() }
        continuation.onTermination = { [weak feed] _ in feed?.leave() }
        var last = select(state)
        continuation.yield(last)
        let observer = Observer(feed) { _, state in
            guard !feed.isGone else { return }
            let value = select(state)
            guard value != last else { return }
            last = value
            continuation.yield(value)
        }
        replace(with: observers + [observer])
        return stream
    }
}

/// The writing end of a sequence of values, which ends with it. Its reader may leave on any thread.
private final class Feed: Sendable {
    private let finish: @Sendable () -> Void
    private let gone = Atomic(false)

    init(finish: @escaping @Sendable () -> Void) {
        self.finish = finish
    }

    deinit { finish() }

    var isGone: Bool { gone.load(ordering: .acquiring) }

    func leave() { gone.store(true, ordering: .releasing) }
}

/// Keeps an observer; ends when it is cancelled or let go of.
public final class Subscription {
    private var end: (() -> Void)?

    @usableFromInline
    package init(end: @escaping () -> Void) {
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
