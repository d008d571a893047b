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
        self.init(name, value, Output.self) {
            .once(policy, { _ in try await operation(value) }, then)
        }
    }

    /// One-shot work on a value, with its context.
    @inlinable
    public init<Value: Equatable & Sendable, Output: StateValue>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value, WorkContext<Action>) async throws -> Output,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.init(name, value, Output.self) {
            .once(policy, { try await operation(value, $0) }, then)
        }
    }

    /// One-shot work on a value that answers with nothing but its end. A closure of several statements
    /// says that: `{ order -> Void in … }`.
    @inlinable
    public init<Value: Equatable & Sendable>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value) async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(name, value, Done.self) {
            .once(policy, { _ in Done(after: try await operation(value)) }, then)
        }
    }

    /// One-shot work on a value that answers with nothing but its end, with its context. A closure of
    /// several statements says that: `{ order, context -> Void in … }`.
    @inlinable
    public init<Value: Equatable & Sendable>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value, WorkContext<Action>) async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(name, value, Done.self) {
            .once(policy, { Done(after: try await operation(value, $0)) }, then)
        }
    }

    /// One-shot work that needs no value: it runs once while it is listed.
    @inlinable
    public init<Output: StateValue>(
        _ name: some Hashable & Sendable, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable () async throws -> Output,
        then: @escaping @Sendable (Answer<Output>) -> Action
    ) {
        self.init(name, Done(), Output.self) {
            .once(policy, { _ in try await operation() }, then)
        }
    }

    /// One-shot work that needs no value and answers with nothing but its end.
    @inlinable
    public init(
        _ name: some Hashable & Sendable, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable () async throws -> Void,
        then: @escaping @Sendable (Answer<Done>) -> Action
    ) {
        self.init(name, Done(), Done.self) {
            .once(policy, { _ in Done(after: try await operation()) }, then)
        }
    }
}

extension Work {
    /// Work that reports by `context.send` until it is cancelled. `settle` does not wait for it.
    ///
    /// - Parameters:
    ///   - name: tells it apart from other work of the state.
    ///   - value: everything that the operation uses: another value is another subscription.
    ///   - policy: the rules for its times and failures; it has no time-out but that of the policy.
    ///   - operation: runs in Swift's pool. Once it returns, the subscription has ended.
    ///   - failure: the action for the problem when no try is left; without one, operators are told.
    @inlinable
    public static func subscription<Value: Equatable & Sendable>(
        _ name: some Hashable & Sendable, for value: Value, policy: WorkPolicy = WorkPolicy(),
        _ operation: @escaping @Sendable (Value, WorkContext<Action>) async throws -> Void,
        catch failure: (@Sendable (Problem) -> Action)? = nil
    ) -> Work {
        Work(name, value, Never.self) {
            .operation(
                WorkOperation(
                    .subscription, policy, failure: failure,
                    run: {
                        try await operation(value, $0)
                        return nil
                    }))
        }
    }

    /// Work that stands for others, which are made only when the part of the state has changed.
    ///
    ///     .group("rows", of: state.rows) { rows in
    ///         for row in rows where row.isSaving { Work(row.id, for: row, save) { … } }
    ///     }
    ///
    /// - Parameters:
    ///   - name: the scope of the members' names.
    ///   - part: everything that the members are made of.
    ///   - members: the works; a function of the part, and of nothing else.
    @inlinable
    public static func group<Part: Equatable & Sendable>(
        _ name: some Hashable & Sendable, of part: Part,
        @WorkBuilder<Action> _ members: @escaping @Sendable (Part) -> [Work]
    ) -> Work {
        group(name, of: part) { part, _ in members(part) }
    }

    /// Work that stands for others, which name their session.
    ///
    ///     .group("payment", of: state.price) { price, session in
    ///         Work("charge", for: Charge(price, in: session), charge) { .charged($0) }
    ///     }
    @inlinable
    public static func group<Part: Equatable & Sendable>(
        _ name: some Hashable & Sendable, of part: Part,
        @WorkBuilder<Action> _ members: @escaping @Sendable (Part, SessionID) -> [Work]
    ) -> Work {
        Work(name, part, Never.self) { .group { members(part, $0) } }
    }
}

extension Work where Action: Equatable {
    /// Work that waits for a time, also while the session sleeps and while the server is down, and
    /// then sends an action. It is never early; past its time it comes at once. `settle` does not
    /// wait for it.
    ///
    /// Its action ends it by changing the state. While the state still wants the same alarm, or
    /// where the action is rejected, it comes again after a second, then two, and so on up to an
    /// hour, and operators are told.
    ///
    /// - Parameters:
    ///   - name: tells it apart from other work of the state.
    ///   - time: when; by the wall clock.
    ///   - action: what is sent.
    @inlinable
    public static func alarm(
        _ name: some Hashable & Sendable, at time: Timestamp, send action: Action
    ) -> Work {
        Work(name, [time: action], Never.self) { .alarm(at: time, action) }
    }
}
