// A reducer is written by hand, with a `switch`, first of all. These fit reducers of parts
// together: each makes a reducer of a larger state, or of a larger action, out of one of a part.
//
//     let application = Reducer.combine(
//         search.onField(\.search).onAction { if case .search(let action) = $0 { action } else { nil } },
//         profile.onOptional().onField(\.profile).onAction(…))
//
// All of them are total: what is not there is refused with a rejection, or nothing happens.

extension Rejection {
    /// The part of the state that an action is for is not there, or not any more.
    public static let outOfScope = Rejection(
        code: "out-of-scope", message: "What this is for is not there.", kind: .conflict)
}

extension Reducer {
    /// Runs several on the same action, in their order; each sees what the ones before it did.
    ///
    /// Where one rejects, the later ones do not run, and all of it is rejected. Of none: does
    /// nothing.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// Runs several on the same action, in their order; see `combine(_:)`.
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer { (state, action) throws(Rejection) in
            for reducer in reducers { try reducer.reduce(&state, action) }
        }
    }

    /// Runs for the actions that have one for this reducer inside, and for no others.
    ///
    ///     rows.onAction { if case .rows(let action) = $0 { action } else { nil } }
    ///
    /// - Parameter extract: what is inside; nil where the action is somebody else's.
    @inlinable
    public func onAction<Outer>(
        _ extract: @escaping @Sendable (Outer) -> Action?
    ) -> Reducer<State, Outer> {
        let reduce = reduce
        return Reducer<State, Outer> { (state, outer) throws(Rejection) in
            guard let action = extract(outer) else { return }
            try reduce(&state, action)
        }
    }

    /// Runs on a field of a larger state, in place.
    @inlinable
    public func onField<Whole>(
        _ field: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Whole, Action> {
        let reduce = reduce
        return Reducer<Whole, Action> { (whole, action) throws(Rejection) in
            try reduce(&whole[keyPath: field], action)
        }
    }

    /// Runs on a value that may be absent, in place.
    ///
    /// - Parameter rejection: what an action for an absent value is refused with; nil: nothing
    ///   happens.
    @inlinable
    public func onOptional(
        otherwise rejection: Rejection? = .outOfScope
    ) -> Reducer<State?, Action> {
        let reduce = reduce
        return Reducer<State?, Action> { (optional, action) throws(Rejection) in
            guard var state = optional.take() else { return try rejection.throwIfPresent() }
            defer { optional = state }
            try reduce(&state, action)
        }
    }

    /// Runs on what one case of an enum carries.
    ///
    ///     loaded.onCase(extract: { if case .loaded(let page) = $0 { page } else { nil } },
    ///                   embed: Screen.loaded)
    ///
    /// The payload is copied, and so is the storage of the arrays in it that the reducer changes.
    ///
    /// - Parameters:
    ///   - extract: what the case carries; nil in another case.
    ///   - embed: the case, carrying it.
    ///   - rejection: what an action is refused with in another case; nil: nothing happens.
    @inlinable
    public func onCase<Whole>(
        extract: @escaping @Sendable (Whole) -> State?,
        embed: @escaping @Sendable (State) -> Whole,
        otherwise rejection: Rejection? = .outOfScope
    ) -> Reducer<Whole, Action> {
        let reduce = reduce
        return Reducer<Whole, Action> { (whole, action) throws(Rejection) in
            guard var state = extract(whole) else { return try rejection.throwIfPresent() }
            try reduce(&state, action)
            whole = embed(state)
        }
    }
}

extension Optional<Rejection> {
    @usableFromInline
    func throwIfPresent() throws(Rejection) {
        if let self { throw self }
    }
}
