/// The means of a running piece of work: its way back to the session, and its surroundings.
public struct WorkContext<Action: Sendable>: Sendable {
    /// The session that the work is of.
    public let session: SessionID
    /// The number of this try, from 1.
    public let attempt: Int
    /// The name of this work for the far side: `<token of the entry that started it>/<name>`, the
    /// same for each try, and after a restart. A far side that remembers it can drop a repeat. Work that
    /// a later entry starts again has another one: an id in the state stays the same over that.
    public let key: String
    /// The sessions of the server that runs the work.
    package let surroundings: (any Sendable)?
    let environment: Environment
    let report: @Sendable (Action) async throws -> Void

    /// Reports an action to the session, and waits while too many are on their way.
    ///
    /// Throws `CancellationError` once the work was cancelled or is over.
    public func send(_ action: Action) async throws {
        try await report(action)
    }

    /// Waits by the session's clock, a hundred years at most; throws when cancelled.
    public func sleep(for duration: Duration) async throws {
        try await environment.sleep(for: duration)
    }

    /// The context of a child's work, whose actions are embedded in the parent's.
    func mapped<Child: Sendable>(
        _ embed: @escaping @Sendable (Child) -> Action
    ) -> WorkContext<Child> {
        WorkContext<Child>(
            session: session, attempt: attempt, key: key, surroundings: surroundings,
            environment: environment,
            report: { [report] in try await report(embed($0)) })
    }
}

/// The standing of one try of a piece of work towards other sessions: the chain of causes that has led
/// to it, and the key by which the far side knows it.
package struct WorkChain: Sendable {
    /// `<token of the entry that started it>/<name>`, the same for each try.
    package let key: String
    /// The causes before what it dispatches to other sessions, its own entry among them.
    package let depth: Int
    /// The part of these that lies in other sessions.
    package let outer: OuterChain?
    /// The time since the work has begun.
    package let elapsed: @Sendable () -> Duration
}

extension Environment {
    /// A hundred years: clocks trap at points of time that they cannot count.
    static var longestSleep: Duration { .seconds(3_155_760_000) }

    /// Waits by the clock, a hundred years at most; throws when cancelled.
    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: min(duration, Self.longestSleep))
    }
}
