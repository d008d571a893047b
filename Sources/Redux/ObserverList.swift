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
