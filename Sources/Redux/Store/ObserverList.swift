public import Synchronization

/// The observers of a store, in the order of their coming.
@usableFromInline
final class ObserverList<State: Sendable & Equatable> {
    /// Changes with the list, so that a round of notifications sees it; 0: there never was one.
    @usableFromInline let version = Atomic<UInt64>(0)
    /// Tells all observers; no one when they have changed, until the next round.
    @usableFromInline var round = Observer<State>(all: [])
    @usableFromInline var hasRound = false
    private var observers: [(id: UInt64, observer: Observer<State>)] = []
    /// The sequences of values among the observers.
    private var feeds: [(id: UInt64, reader: FeedReader)] = []
    /// The state before a group of entries that has changed it, of which observers are told at its
    /// end.
    private var untold: State?

    /// Nobody observes, and nobody has.
    @inlinable var isUnused: Bool { version.load(ordering: .relaxed) == 0 }

    /// Nobody observes now.
    var isEmpty: Bool { observers.isEmpty }

    // MARK: Telling

    /// Tells every observer of a change, in their order. One who goes meanwhile is not told; one who
    /// comes meanwhile has been told when it came.
    @inlinable
    func tell(of old: State, _ new: State) {
        if !hasRound { makeRound() }
        round.notify(old, new, self, version.load(ordering: .relaxed))
    }

    /// Tells of the steps of a group at the last of them, as of one.
    func tell(of old: State, _ new: State, changed: Bool, isLast: Bool) {
        if !isLast {
            if changed, untold == nil { untold = old }
        } else if let first = untold {
            untold = nil
            tell(of: first, new)
        } else if changed {
            tell(of: old, new)
        }
    }

    @usableFromInline
    func makeRound() {
        round = Observer(all: observers.map(\.observer))
        hasRound = true
    }

    /// Tells whether an observer of a round that began at a version is still one.
    @inlinable
    func holds(_ id: UInt64, since start: UInt64) -> Bool {
        version.load(ordering: .relaxed) == start || holds(id)
    }

    @usableFromInline
    func holds(_ id: UInt64) -> Bool {
        observers.contains { $0.id == id }
    }

    // MARK: Observers

    /// Tells of each change of a selected value.
    @inlinable @inline(__always)
    func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        // It captures nothing but the selector, so that the compiler can make one function of both.
        let change: (State, State) -> Value? = { old, new in
            let value = select(new)
            return value == select(old) ? nil : value
        }
        let id = makeID()
        return subscribe(
            id,
            Observer { old, new, list, start in
                guard list.holds(id, since: start) else { return }
                if let value = change(old, new) { onChange(value) }
            })
    }

    @usableFromInline
    func makeID() -> UInt64 {
        version.add(1, ordering: .relaxed).newValue
    }

    @usableFromInline
    func subscribe(_ id: UInt64, _ observer: Observer<State>) -> Subscription {
        add(id, observer)
        return Subscription { [weak self] in self?.remove(id) }
    }

    /// A selected value as a sequence: the present one, then each that differs.
    func values<Value: Equatable & Sendable>(
        of select: @escaping (State) -> Value, from state: State
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let feed = Feed(continuation)
        continuation.onTermination = { [reader = feed.reader] _ in reader.leave() }
        var last = select(state)
        continuation.yield(last)
        let id = makeID()
        let observer = Observer<State> { _, state, list, start in
            guard !feed.reader.isGone, list.holds(id, since: start) else { return }
            let value = select(state)
            guard value != last else { return }
            last = value
            feed.continuation.yield(value)
        }
        add(id, observer)
        feeds.append((id, feed.reader))
        return stream
    }

    private func add(_ id: UInt64, _ observer: Observer<State>) {
        observers.append((id, observer))
        change()
    }

    private func remove(_ id: UInt64) {
        observers.removeAll { $0.id == id }
        change()
    }

    private func change() {
        if !feeds.isEmpty { forgetGoneReaders() }
        version.add(1, ordering: .relaxed)
        round = Observer(all: [])
        hasRound = false
    }

    /// Forgets the sequences that nobody reads any more.
    private func forgetGoneReaders() {
        let gone = Set(feeds.lazy.filter(\.reader.isGone).map(\.id))
        guard !gone.isEmpty else { return }
        feeds.removeAll { gone.contains($0.id) }
        observers.removeAll { gone.contains($0.id) }
    }
}

/// Tells of changes: one observer, or several in their order.
///
/// A structure around the closure, because an optional closure or a generic function's is called
/// through thunks.
@usableFromInline
struct Observer<State: Sendable & Equatable> {
    /// Called with the state before, the state after, the list of observers, and its version when
    /// the round began.
    @usableFromInline let notify: (State, State, ObserverList<State>, UInt64) -> Void

    @inlinable
    init(notify: @escaping (State, State, ObserverList<State>, UInt64) -> Void) {
        self.notify = notify
    }

    /// Tells all of these.
    ///
    /// A closure holds what it has captured for as long as it runs, so that calling that needs no
    /// counting of references: half of what it costs to tell an observer nothing. Four a closure,
    /// and four of those in the next, keep the calls shallow.
    init(all observers: [Observer]) {
        var level = observers
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 4).map { start in
                Observer(upToFour: level[start..<min(start + 4, level.count)])
            }
        }
        self = level.first ?? Observer { _, _, _, _ in }
    }

    private init(upToFour observers: ArraySlice<Observer>) {
        let first = observers[observers.startIndex]
        guard observers.count > 1 else {
            self = first
            return
        }
        let second = observers[observers.startIndex + 1]
        guard observers.count == 4 else {
            let rest = Observer(upToFour: observers.dropFirst())
            self.init { old, new, list, start in
                first.notify(old, new, list, start)
                rest.notify(old, new, list, start)
            }
            return
        }
        let third = observers[observers.startIndex + 2]
        let fourth = observers[observers.startIndex + 3]
        self.init { old, new, list, start in
            first.notify(old, new, list, start)
            second.notify(old, new, list, start)
            third.notify(old, new, list, start)
            fourth.notify(old, new, list, start)
        }
    }
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

/// The writing end of a sequence of values; the sequence ends with it.
final class Feed<Value: Sendable> {
    let continuation: AsyncStream<Value>.Continuation
    let reader = FeedReader()

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// The reading end of a sequence of values, which may be left on any thread.
final class FeedReader: Sendable {
    private let gone = Atomic(false)

    var isGone: Bool { gone.load(ordering: .acquiring) }

    func leave() { gone.store(true, ordering: .releasing) }
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
