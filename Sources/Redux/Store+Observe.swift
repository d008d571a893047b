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
        let subscription = subscribe { old, new in
            let value = select(new)
            if value != select(old) { onChange(value) }
        }
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
    func subscribe(_ notify: @escaping (State, State) -> Void) -> Subscription {
        observersVersion += 1
        let id = observersVersion
        observers.append(Observer(id: id, notify: notify))
        return Subscription { [weak self] in self?.removeObserver(id) }
    }

    func removeObserver(_ id: UInt64) {
        observers.removeAll { $0.id == id }
        observersVersion += 1
    }

    /// Tells every observer of a change, in the order of their coming. One who goes meanwhile is
    /// not told; one who comes meanwhile has been told when it came.
    @inlinable
    func notifyObservers(of old: State, _ new: State) {
        let (round, version) = (observers, observersVersion)
        let span = round.span
        for index in span.indices {
            if observersVersion != version, !isObserving(span[index].id) { continue }
            span[index].notify(old, new)
        }
    }

    @usableFromInline
    func isObserving(_ id: UInt64) -> Bool {
        observers.contains { $0.id == id }
    }
}
