extension Work {
    /// One-shot work on a value.
    ///
    /// - Parameters:
    ///   - name: tells it apart from other work of the state.
    ///   - value: everything that the operation uses: another value is other work.
    ///   - policy: the rules for its times and failures.
    ///   - operation: runs in Swift's pool. A `Problem` that it throws is shown as it is; another
    ///     error as `failed`, and too long a time as `timed-out`.
    ///   - then: the action that reports the answer, or the problem when no try is left.
    @inlinable
    public init<Value: Equatable & Sendable, Output: StateValue>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value) async throws -> Output,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.init(
            OneShotWork<Value, Output, Action>(
                WorkName(name), value, policy, .of(operation), then: then))
    }

    /// One-shot work on a value, with its context.
    @inlinable
    public init<Value: Equatable & Sendable, Output: StateValue>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value, WorkContext<Action>) async throws -> Output,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.init(
            OneShotWork<Value, Output, Action>(
                WorkName(name), value, policy, .with(operation), then: then))
    }

    /// One-shot work on a value that answers with nothing but its end.
    @inlinable
    public init<Value: Equatable & Sendable>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value) async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(
            OneShotWork<Value, Done, Action>(
                WorkName(name), value, policy,
                .of { value in
                    try await operation(value)
                    return Done()
                }, then: then))
    }

    /// One-shot work on a value that answers with nothing but its end, with its context.
    @inlinable
    public init<Value: Equatable & Sendable>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value, WorkContext<Action>) async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(
            OneShotWork<Value, Done, Action>(
                WorkName(name), value, policy,
                .with { value, context in
                    try await operation(value, context)
                    return Done()
                }, then: then))
    }

    /// One-shot work that needs no value: it runs once while it is listed.
    @inlinable
    public init<Output: StateValue>(
        _ name: some Hashable & Sendable, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable () async throws -> Output,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.init(
            OneShotWork<Done, Output, Action>(
                WorkName(name), Done(), policy, .of { _ in try await operation() }, then: then))
    }

    /// One-shot work that needs no value and answers with nothing but its end.
    @inlinable
    public init(
        _ name: some Hashable & Sendable, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable () async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(
            OneShotWork<Done, Done, Action>(
                WorkName(name), Done(), policy,
                .of { _ in
                    try await operation()
                    return Done()
                }, then: then))
    }
}
