public import Statecast
public import Testing

extension TestStore {
    /// A new session of an application: its reducer and its work.
    ///
    ///     let store = TestStore(CounterApplication())
    ///     store.send(.incremented(by: 2)) { $0.count = 2 }
    ///
    /// - Parameters:
    ///   - state: what the session begins with, in place of the application's initial state: where a
    ///     test begins in the middle, or a session that was kept is taken up again.
    ///   - input: the session's input, of which the application makes its first state.
    ///   - session: its name; `test` where there is none.
    ///   - principal: sends what the test sends without saying who does.
    ///   - middleware: stands around the reducer, as where the application is served.
    ///   - options: what its sessions need beside it, as there.
    public convenience init<App: Application>(
        _ application: App, initial state: State? = nil, input: App.Input? = nil,
        session: SessionID? = nil, as principal: Principal = .anonymous,
        middleware: [Middleware<State, Action>] = [],
        options: SessionOptions<State, Action> = .init(), exhaustivity: Exhaustivity = .exhaustive,
        time: Timestamp = Timestamp(milliseconds: 0),
        sourceLocation: SourceLocation = #_sourceLocation
    ) where State == App.State, Action == App.Action {
        let (session, clock) = (session ?? .test, ManualClock())
        let beginning = TestBeginning(
            application, state, input: input, of: session, by: principal,
            in: clock.environment(startingAt: time))
        self.init(
            initial: beginning.state,
            reducer: { (state, action, step) throws(Rejection) in
                try application.reduce(&state, action, step)
            },
            middleware: middleware, as: principal, session: session,
            work: { application.work(in: $0) },
            exhaustivity: exhaustivity, clock: clock, time: time, sourceLocation: sourceLocation)
        (views, validate) = (application.views, options.validate)
        if let fault = views.fault ?? beginning.fault { fail(fault, sourceLocation) }
    }
}
