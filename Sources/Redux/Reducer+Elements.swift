extension Reducer {
    /// Runs on the element of an array that has the action's id, in place.
    ///
    ///     row.onElement(by: \.id)
    ///         .onField(\.rows)
    ///         .onAction { if case .row(let id, let action) = $0 { (id, action) } else { nil } }
    ///
    /// Complexity: linear in the number of elements. The first of several with the id is meant.
    ///
    /// - Parameter rejection: what an action for an id that no element has is refused with; nil:
    ///   nothing happens.
    @inlinable
    public func onElement<ID: Equatable & SendableMetatype>(
        by id: any KeyPath<State, ID> & Sendable, otherwise rejection: Rejection? = .outOfScope
    ) -> Reducer<[State], (id: ID, action: Action)> {
        let reduce = reduce
        return Reducer<[State], (id: ID, action: Action)> { (all, input) throws(Rejection) in
            guard let index = all.firstIndex(where: { $0[keyPath: id] == input.id }) else {
                return try rejection.throwIfPresent()
            }
            try reduce(&all[index], input.action)
        }
    }

    /// Runs on the value that a dictionary has for the action's key, in place.
    ///
    /// - Parameter rejection: what an action for a key without a value is refused with; nil:
    ///   nothing happens.
    @inlinable
    public func onValue<Key: Hashable & SendableMetatype>(
        of key: Key.Type, otherwise rejection: Rejection? = .outOfScope
    ) -> Reducer<[Key: State], (key: Key, action: Action)> {
        let reduce = reduce
        return Reducer<[Key: State], (key: Key, action: Action)> { (all, input) throws(Rejection) in
            guard let index = all.index(forKey: input.key) else {
                return try rejection.throwIfPresent()
            }
            try reduce(&all.values[index], input.action)
        }
    }
}
