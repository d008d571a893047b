/// Keeps a part of a session's state beyond the session: read at launch, saved when it changes,
/// deleted when it is gone, for example on sign-out.
///
///     let profile = Persistence(
///         "profile", in: profiles, key: session.description,
///         select: { $0.profile },
///         isLoaded: { if case .fact(.launched) = $0 { true } else { false } },
///         loaded: { .fact(.launched(profile: $0)) },
///         failed: { failure, context in
///             .fact(.persistenceFailed("\(failure)"))
///         })
///
/// `load()` belongs to the effects that a session starts with, `middleware` to its middleware.
/// Values of one key are written one after the other; one that is out of date before its turn
/// comes is never written. What cannot be read or written, after some retries, is an action: the
/// state then says so.
///
/// Its work belongs to the session, as all effects do: a session that is ended in the middle of a
/// sign-out may leave the value behind. `forget()` deletes it whatever was under way.
public struct Persistence<State: Sendable, Action: Sendable, Value: Sendable>: Sendable {
    /// The meaning of a step for the value that is kept.
    public enum Change: Sendable {
        case save(Value)
        case delete
    }

    /// Tells its effects apart from the session's others.
    public let name: String
    private let values: SavedValues<Value>
    private let key: String
    private let retries: Int
    private let change: @Sendable (Transition<State, Action>) -> Change?
    private let loaded: @Sendable (Value?) -> Action
    private let failed: @Sendable (PersistenceFailure, EffectContext<Action>) -> Action

    /// Keeps what a step says, which need not be in the state: a token that came with an action.
    ///
    /// - Parameters:
    ///   - name: the name of its effects: of two with the same one, each would cancel the other's
    ///     writes.
    ///   - key: what the value is kept under; the session's id, or the person's.
    ///   - retries: how often each call is tried again, after 100 ms, 200 ms and so on, an hour
    ///     at most.
    ///   - change: what a committed step means; nil for nothing. For the step that `loaded` made
    ///     it is nil: what was just read is kept already.
    ///   - loaded: the action that reports what was read; nil where there was nothing.
    ///   - failed: the action that reports a failure.
    public init(
        _ name: String, in values: SavedValues<Value>, key: String,
        retries: Int = 3,
        change: @escaping @Sendable (Transition<State, Action>) -> Change?,
        loaded: @escaping @Sendable (Value?) -> Action,
        failed: @escaping @Sendable (PersistenceFailure, EffectContext<Action>) -> Action
    ) {
        self.name = name
        self.values = values
        self.key = key
        self.retries = retries
        self.change = change
        self.loaded = loaded
        self.failed = failed
    }

    /// Reads the value and reports it.
    public func load(
        while scope: (@Sendable (State) -> Bool)? = nil
    ) -> Effect<State, Action> {
        .run("\(name)/load", while: scope) { context in
            await perform(.load, context) { context.send(loaded(try await values.load(key))) }
        }
    }

    /// Deletes the value, after what is being read or written under its key, for a session that has
    /// ended. Tries once; the caller tries again.
    public func forget() async throws {
        try await values.delete(key)
    }

    /// Saves and deletes after each step that says so.
    public var middleware: Middleware<State, Action> {
        Middleware(name, react: { effects(after: $0) })
    }

    /// The writes that a step makes of the value that is kept: none, or one.
    public func effects(after transition: Transition<State, Action>) -> [Effect<State, Action>] {
        switch change(transition) {
        case .save(let value):
            [write(.save) { try await values.save(value, under: key) }]
        case .delete:
            [write(.delete) { try await values.delete(key) }]
        case nil: []
        }
    }

    private func write(
        _ operation: PersistenceFailure.Operation,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> Effect<State, Action> {
        .run(name, policy: .latest) { await perform(operation, $0, work) }
    }

    private func perform(
        _ operation: PersistenceFailure.Operation, _ context: EffectContext<Action>,
        _ work: () async throws -> Void
    ) async {
        var delay = Duration.milliseconds(100)
        for attempt in 0...max(0, retries) {
            do {
                return try await work()
            } catch {
                guard !Task.isCancelled else { return }
                if attempt >= retries {
                    let failure = PersistenceFailure(operation: operation, error: error)
                    return context.send(failed(failure, context))
                }
            }
            do { try await context.sleep(for: delay) } catch { return }
            delay = min(delay * 2, EffectOperation.longestBackoff)
        }
    }
}

extension Persistence where Value: Equatable {
    /// Keeps a part of the state: saved when it differs, deleted when it becomes nil.
    ///
    /// - Parameters:
    ///   - name: the name of its effects: of two with the same one, each would cancel the other's
    ///     writes.
    ///   - select: the part; nil where there is nothing to keep.
    ///   - isLoaded: whether an action is what `loaded` makes: what was just read is not written.
    public init(
        _ name: String, in values: SavedValues<Value>, key: String,
        retries: Int = 3,
        select: @escaping @Sendable (State) -> Value?,
        isLoaded: @escaping @Sendable (Action) -> Bool,
        loaded: @escaping @Sendable (Value?) -> Action,
        failed: @escaping @Sendable (PersistenceFailure, EffectContext<Action>) -> Action
    ) {
        self.init(
            name, in: values, key: key, retries: retries,
            change: { transition in
                guard transition.changed, !isLoaded(transition.action) else { return nil }
                let value = select(transition.new)
                guard value != select(transition.old) else { return nil }
                return value.map(Change.save) ?? .delete
            },
            loaded: loaded, failed: failed)
    }
}

/// Why a value that outlives its session could not be read or written.
public struct PersistenceFailure: Error, CustomStringConvertible {
    /// An attempt on the value.
    public enum Operation: String, Sendable, Hashable {
        case load, save, delete
    }

    /// The attempt that failed.
    public let operation: Operation
    /// The error of the last attempt.
    public let error: any Error

    /// `save: …`, for a log; it may tell more than a client should see.
    public var description: String { "\(operation.rawValue): \(error)" }
}
