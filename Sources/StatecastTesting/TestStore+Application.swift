public import Statecast
public import Testing

extension TestStore {
    /// A new session of an application: its reducers, middleware and effects.
    ///
    ///     let store = TestStore(CounterApplication())
    ///     store.send(.incremented(by: 2)) { $0.count = 2 }
    ///
    /// - Parameters:
    ///   - state: what the session begins with, in place of the application's initial state: where a
    ///     test begins in the middle, or a session that was kept is taken up again.
    ///   - session: its name; `test` where there is none.
    public convenience init<App: Application>(
        _ application: App, initial state: State? = nil, session: SessionID? = nil,
        exhaustivity: Exhaustivity = .exhaustive, time: Timestamp = Timestamp(milliseconds: 0),
        sourceLocation: SourceLocation = #_sourceLocation
    ) where State == App.State, Action == Dispatched<App.Action, App.Fact> {
        let state = state ?? application.initialState
        let session = session ?? .test
        self.init(
            initial: state, reducer: .of(application),
            middleware: application.allMiddleware(for: session),
            starting: application.effects(starting: state, in: session),
            exhaustivity: exhaustivity, time: time, sourceLocation: sourceLocation)
    }

    /// Dispatches what a client sends; see `send(_:_:)`.
    @discardableResult
    public func send<Sent, Fact>(
        _ action: Sent, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) -> Outcome where Action == Dispatched<Sent, Fact> {
        send(.action(action), sourceLocation: sourceLocation, change)
    }

    /// Dispatches what a client sends and the application is to reject.
    public func send<Sent, Fact>(
        _ action: Sent, rejectedAs code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Action == Dispatched<Sent, Fact> {
        send(.action(action), rejectedAs: code, sourceLocation: sourceLocation)
    }

    /// Takes the next fact that an effect has reported; see `receive(_:_:)`.
    public func receive<Sent, Fact: Equatable>(
        _ fact: Fact, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) where Action == Dispatched<Sent, Fact> {
        receive(
            "\(fact)",
            matching: { if case .fact(fact) = $0 { true } else { false } },
            difference: { received in
                guard case .fact(let received) = received else { return [] }
                return StateDiff.lines(fact, received)
            }, sourceLocation, change)
    }

    /// Takes the next fact, which is to satisfy a condition.
    public func receiveFact<Sent, Fact>(
        where isWanted: (Fact) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout State) throws -> Void = { _ in }
    ) where Action == Dispatched<Sent, Fact> {
        receive(
            "a fact as wanted",
            matching: { if case .fact(let fact) = $0 { isWanted(fact) } else { false } },
            difference: { _ in [] }, sourceLocation, change)
    }
}

extension SessionID {
    fileprivate static var test: SessionID {
        guard let id = SessionID("test") else {
            preconditionFailure("Four letters are a session's name.")
        }
        return id
    }
}
