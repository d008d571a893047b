public import Redux
import Sockets
import Statecast
public import Testing

/// A store whose every step a test states, on a clock that the test moves.
///
///     @Test func `searches once typing has paused`() throws {
///         let searches = ManualAnswers<String, [Place]>()
///         let store = TestStore(PlacesApplication(search: { try await searches.answer(to: $0) }))
///         store.send(.searchEdited("ti")) { $0.text = "ti" }
///         store.advance(by: .milliseconds(200))
///         store.send(.searchEdited("tin")) { $0.text = "tin" }
///         store.advance(by: .milliseconds(500))
///         #expect(searches.asked == ["tin"])
///         searches.succeed("tin", with: [])
///         store.receive(.found([])) { $0.isEmpty = true }
///     }
///
/// Exhaustive unless it is told otherwise. These are failures, recorded where the test called:
///
/// - the state after a step differs from what the closure makes of the state before it;
/// - an action is rejected, or not rejected as expected;
/// - something was received (reported by work, or sent by an effect) that the test does not receive
///   before it sends the next action or ends;
/// - an effect fails, or work whose problem no action tells; or the reducer rejects a report; and
///   the test does not say so;
/// - work or effects run when the test ends: at `finish`, or when the store is let go of.
///
/// Work and effects run inside of the store's methods, on the test's thread and on nothing else: when
/// a method returns, each has ended or waits, for the clock or for an answer. Tests need neither
/// sleeps nor `await`, and happen the same way every time. An operation that leaves its task (by a
/// bare `Task`, the main actor, a callback from another thread) leaves this order, too.
/// The environment is `ManualClock.environment`: ids are `id-1`, `id-2` and so on.
public final class TestStore<State: Sendable & Equatable, Action: Sendable> {
    /// The extent of what a test has to state.
    public enum Exhaustivity: Sendable, Hashable {
        /// The test states everything.
        case exhaustive
        /// The test states what it likes: the closures state part of the change, actions that are
        /// not received are skipped, and effects may be left running.
        case nonExhaustive
    }

    /// The extent of what the test has to state from here on.
    public var exhaustivity: Exhaustivity {
        get { progress.isExhaustive ? .exhaustive : .nonExhaustive }
        set { progress.isExhaustive = newValue == .exhaustive }
    }
    /// The clock that effects wait by.
    public let clock: ManualClock
    /// The state as the test knows it: after the last step that it sent, received or skipped.
    public var state: State { progress.state }

    /// The process; `restart` begins another one.
    var stage: TestStage<State, Action>
    package var store: Store<State, Action> { stage.store }
    /// The state that the test knows, and what it has not received; `settle` brings it up to date.
    var progress: TestProgress<State, Action>
    var isFinished = false
    /// The views of its application.
    var views = Views<State>.all
    /// Refuses a state that was kept.
    var validate: (@Sendable (State) throws(Rejection) -> Void)?
    /// Sends what the test sends without saying who does.
    let principal: Principal
    private let origin: SourceLocation

    /// A store that begins with a state.
    ///
    /// - Parameters:
    ///   - session: the session that steps tell.
    ///   - work: the work that a state wants to have going on.
    ///   - principal: sends what the test sends without saying who does.
    ///   - clock: the one that effects wait by.
    ///   - time: the time of day at the clock's beginning.
    public init(
        initial state: State, reducer: @escaping Reducer<State, Action>,
        middleware: [Middleware<State, Action>] = [],
        as principal: Principal = .anonymous, session: SessionID? = nil,
        work: (@Sendable (State) -> [Work<Action>])? = nil,
        exhaustivity: Exhaustivity = .exhaustive, limits: StoreLimits = StoreLimits(),
        clock: ManualClock = ManualClock(), time: Timestamp = Timestamp(milliseconds: 0),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        progress = TestProgress(state: state, isExhaustive: exhaustivity == .exhaustive)
        self.clock = clock
        self.principal = principal
        origin = sourceLocation
        stage = TestStage(
            TestPlan(
                reducer: reducer, middleware: middleware,
                environment: clock.environment(startingAt: time), limits: limits,
                session: session, work: work.map { WorkSource($0) }), state)
        store.startWork()
        settle(sourceLocation)
    }

    deinit {
        if !isFinished { finish(sourceLocation: origin) }
    }

    /// The works that run or wait, and the alarms that are set.
    public var runningWork: [RunningWork] { store.runningWork }

    /// The effects that run, and those that wait to begin.
    public var runningEffects: [RunningEffect] { store.runningEffects }

    /// Runs effects, and gives the store what they report, until each has ended or waits.
    func settle(_ sourceLocation: SourceLocation) {
        defer {
            let entries = stage.takeEntries()
            progress.enter(entries.steps, entries.diagnostics)
        }
        if let failure = stage.settle(on: clock) { fail(failure, sourceLocation) }
    }

    func fail(_ text: String, _ sourceLocation: SourceLocation) {
        Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
    }

    /// Compares a step with what the closure makes of its start.
    func compare(
        _ step: TestProgress<State, Action>.Step, _ sourceLocation: SourceLocation,
        _ change: (inout State) throws -> Void
    ) {
        var expected = step.start
        do {
            try change(&expected)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        if let text = step.difference(from: expected) { fail(text, sourceLocation) }
    }
}
