extension Store {
    /// Tells of a part of the state: as it is now, and after each commit in which it differs.
    ///
    /// The part may be stored or computed. Ends with the subscription. What the observer
    /// dispatches follows the present action.
    @inlinable
    public func observe<Value: Equatable>(
        _ select: @escaping (State) -> Value, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        let selection = Selection(committed, select, onChange)
        let subscription = subscribe { selection.tell($0) }
        deferringDispatches { onChange(selection.last) }
        return subscription
    }

    /// Tells of the property at a key path, stored or computed.
    ///
    /// A key path that is written in the call becomes a function, which is faster.
    @_disfavoredOverload
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<State, Value>, _ onChange: @escaping (Value) -> Void
    ) -> Subscription {
        observe({ $0[keyPath: keyPath] }, onChange)
    }

    @usableFromInline
    func subscribe(_ notify: @escaping (State) -> Void) -> Subscription {
        observersVersion += 1
        let id = observersVersion
        observers.append(Observer(id: id, notify: notify))
        return Subscription { [weak self] in self?.removeObserver(id) }
    }

    func removeObserver(_ id: UInt64) {
        observers.removeAll { $0.id == id }
        observersVersion += 1
    }

    /// Tells every observer of the committed state, in the order of their coming. One who goes
    /// meanwhile is not told; one who comes meanwhile has been told when it came.
    @inlinable
    func notifyObservers() {
        let round = observers
        let version = observersVersion
        let span = round.span
        for index in span.indices {
            if observersVersion != version, !isObserving(span[index].id) { continue }
            span[index].notify(committed)
        }
    }

    @usableFromInline
    func isObserving(_ id: UInt64) -> Bool {
        observers.contains { $0.id == id }
    }
}
