import Sessions
import Sockets
public import Statecast
import StateCoding
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
    ///   - options: what its sessions need beside it, as there: what comes too often for its rates is
    ///     rejected as `too-often`.
    public convenience init<App: Application>(
        _ application: App, initial state: State? = nil,
        // An autoclosure: of an optional the compiler has no words for a value of another type.
        input: @autoclosure () -> App.Input? = nil,
        session: SessionID? = nil, as principal: Principal = .anonymous,
        middleware: [Middleware<State, Action>] = [],
        options: SessionOptions<State, Action> = .init(), exhaustivity: Exhaustivity = .exhaustive,
        time: Timestamp = Timestamp(milliseconds: 0),
        sourceLocation: SourceLocation = #_sourceLocation
    ) where State == App.State, Action == App.Action {
        let (session, clock) = (session ?? .test, ManualClock())
        let rates = Self.rates(of: options, in: session, by: clock, sourceLocation)
        let beginning = application.beginning(
            of: session, with: input(), or: state, by: principal,
            in: clock.environment(startingAt: time))
        self.init(
            initial: beginning.state,
            reducer: { (state, action, step) throws(Rejection) in
                try application.reduce(&state, action, step)
            },
            middleware: rates.newest + middleware, as: principal, session: session,
            work: { application.work(in: $0) },
            exhaustivity: exhaustivity, clock: clock, time: time, sourceLocation: sourceLocation)
        (views, validate, limit) = (application.views, options.validate, rates.limit)
        if let fault = views.fault ?? beginning.fault { fail(fault, sourceLocation) }
    }
}

extension TestStore where State: StateValue, Action: ActionGroup {
    /// What has the newest action of a type go on, and what refuses those that come too often, as a server
    /// does before it decides.
    private static func rates(
        of options: SessionOptions<State, Action>, in session: SessionID, by clock: ManualClock,
        _ sourceLocation: SourceLocation
    ) -> (newest: [Middleware<State, Action>], limit: Limit?) {
        guard !options.rates.isEmpty else { return ([], nil) }
        do {
            let coder = try ActionCoder<Action>()
            let rates = ActionRates(options.rates, of: coder.typeNames, SessionLimits())
            let limit: Limit = { actions, principal in
                let name = principal.id ?? ""
                do throws(Refusal) {
                    try rates?.admit(
                        actions.map { coder.typeNumber(of: $0) ?? -1 },
                        of: name.utf8.reduce(0) { $0 &* 31 &+ UInt16($1) }, to: session,
                        at: Instant(nanoseconds: clock.now.offset.nanoseconds))
                } catch .tooOften(let limit, _) {
                    return Rejection("too-often", limit.sentence)
                } catch {
                    return Rejection("batch-too-large", "No rate allows a batch of so many.")
                }
                return nil
            }
            return (options.newest(coder), limit)
        } catch {
            fail("\(error)", sourceLocation)
            return ([], nil)
        }
    }
}

extension TestStore where State: Encodable {
    /// The value that a view shows to a principal, as its client would decode it; nil where it shows
    /// nothing: `try store.seen(by: bob, as: Table.self)?.hand == [7, 12]`.
    ///
    /// - Parameter name: the view's; nil for the one that stands for the state.
    public func seen<Value: Decodable>(
        by principal: Principal, as type: Value.Type = Value.self, view name: String? = nil,
        arguments: [String: String] = [:]
    ) throws -> Value? {
        if let name, !views.names.contains(name) { throw TestFailure.noView(name) }
        let viewer = Viewer(principal, arguments: arguments)
        guard let json = try views.json(of: name, for: viewer, in: state) else { return nil }
        return try StateDecoder().decode(Value.self, from: json.span)
    }
}

extension Application {
    /// The state of a new session, or the one that the test gives; and the sentence that says why the
    /// application does not begin a session with this input.
    ///
    /// - Parameter environment: that of the store.
    func beginning(
        of session: SessionID, with input: Input?, or given: State?, by principal: Principal,
        in environment: Environment
    ) -> (state: State, fault: String?) {
        if let given { return (given, nil) }
        var state = initialState
        do throws(Rejection) {
            try start(
                &state, with: input,
                .beginning(session, epoch: "id", by: principal, in: environment))
            return (state, nil)
        } catch {
            let fault = "The session was not begun: \"\(error.code)\": \(error.message)"
            return (initialState, fault)
        }
    }
}

/// What a value is once it was written and read again, and the JSON between. The copy is the same
/// but for the secrets in it, which nothing writes, and for the order of its dictionaries and sets.
func wayThroughJSON<Value: Codable & Equatable>(
    of value: Value
) throws -> (copy: Value, isSame: Bool, json: [UInt8]) {
    let json = try StateEncoder().bytes(of: value)
    var decoder = StateDecoder()
    decoder.roominess = 8
    let copy = try decoder.decode(Value.self, from: json.span)
    if copy == value { return (copy, true, json) }
    guard String(decoding: json, as: UTF8.self).contains("\"\(Secret<String>.redacted)\""),
        try StateEncoder().bytes(of: copy) == json
    else { return (copy, false, json) }
    // What is not written at all is in neither JSON: the values show it.
    let lines = StateDiff.lines(value, copy)
    let isHidden = lines.count == 1 && lines[0].hasSuffix(": what differs is not shown")
    return (copy, isHidden, json)
}
