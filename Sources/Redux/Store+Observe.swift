extension Store {
    /// Tells of a part of the state: as it is now, and after each commit in which it differs.
    ///
    /// The part may be stored or computed; it is selected twice for each commit, out of the state
    /// before and the state after. Ends with the subscription. What the observer dispatches
    /// follows the present action.
    @inlinable @inline(__always)
    public func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        // It captures nothing but the selector, so that the compiler can make one function of both.
        let change: (State, State) -> Value? = { old, new in
            let value = select(new)
            return value == select(old) ? nil : value
        }
        let id = newObserverID()
        let subscription = subscribe(
            id,
            Observer { old, new, store, version in
                guard store.isObserving(id, since: version) else { return }
                if let value = change(old, new) { onChange(value) }
            })
        deferringDispatches { onChange(select(committed)) }
        return subscription
    }

    /// Tells of the property at a key path, stored or computed.
    ///
    /// A closure is faster: a key path is looked up each time.
    @_disfavoredOverload
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<State, Value>, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        observe({ $0[keyPath: keyPath] }, onChange)
    }

    @usableFromInline
    func newObserverID() -> UInt64 {
        observersVersion += 1
        return observersVersion
    }

    @usableFromInline
    func subscribe(_ id: UInt64, _ observer: Observer<State, Action>) -> Subscription {
        addObserver(id, observer)
        return Subscription { [weak self] in self?.removeObserver(id) }
    }

    func addObserver(_ id: UInt64, _ observer: Observer<State, Action>) {
        observers.append((id, observer))
        observersHaveChanged()
    }

    func removeObserver(_ id: UInt64) {
        observers.removeAll { $0.id == id }
        observersHaveChanged()
    }

    private func observersHaveChanged() {
        if !feeds.isEmpty { forgetGoneReaders() }
        observersVersion += 1
        round = Observer(all: [])
        hasRound = false
    }

    /// Tells every observer of a change, in the order of their coming. One who goes meanwhile is
    /// not told; one who comes meanwhile has been told when it came.
    @inlinable
    func notifyObservers(of old: State, _ new: State) {
        if !hasRound { makeRound() }
        round.notify(old, new, self, observersVersion)
    }

    @usableFromInline
    func makeRound() {
        round = Observer(all: observers.map(\.observer))
        hasRound = true
    }

    /// Whether an observer of a round that began at this version is still one.
    @inlinable
    func isObserving(_ id: UInt64, since version: UInt64) -> Bool {
        observersVersion == version || isObserving(id)
    }

    @usableFromInline
    func isObserving(_ id: UInt64) -> Bool {
        observers.contains { $0.id == id }
    }
}
