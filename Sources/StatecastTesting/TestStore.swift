public import Redux
import Sockets
import StateCoding
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
/// The environment is `ManualClock.environment`. Ids are those of a server, with `id` in place of what
/// no client can guess: that of the third entry is `id-3`, the next one `id-3.2`; `start` makes `id-0`.
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
    public var exhaustivity: Exhaustivity
    /// The clock that effects wait by.
    public let clock: ManualClock
    /// The state as the test knows it: after the last step that it sent, received or skipped.
    public internal(set) var state: State

    /// The store of the process; `restart` begins another one.
    package private(set) var store: Store<State, Action>
    /// The steps and the diagnostics that the test has not received yet; `settle` adds to them.
    var steps: [Transition<State, Action>] = []
    var diagnostics: [StoreDiagnostic] = []
    /// The views of its application.
    var views = Views<State>.all
    /// Refuses a state that was kept.
    var validate: (@Sendable (State) throws(Rejection) -> Void)?
    /// Refuses what a client sends too often.
    var limit: Limit?
    typealias Limit = (_ actions: [Action], _ principal: Principal) -> Rejection?
    /// Sends what the test sends without saying who does.
    let principal: Principal
    private var isFinished = false
    private var record = TestRecord<State, Action>()
    private var environment: Environment
    private let makeStore:
        (State, Environment, TestRecord<State, Action>, Store<State, Action>?)
            -> Store<State, Action>
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
        (self.state, self.exhaustivity, self.clock) = (state, exhaustivity, clock)
        (self.principal, origin) = (principal, sourceLocation)
        let work = work.map { WorkSource($0) }
        makeStore = { state, environment, record, last in
            var works = last?.workRecords ?? []
            for index in works.indices { works[index].hasEnded = false }
            let store = Store(
                Ledger(
                    initial: state, version: last?.version ?? 0, lastChange: last?.lastChange,
                    reducer: reducer, middleware: [record.middleware] + middleware,
                    environment: environment, limits: limits, session: session, epoch: "id",
                    lastTime: last?.lastTime, work: work, remembering: works,
                    deliver: { delivery in
                        record.entries.withLock { $0.deliveries.append(delivery) }
                    }))
            store.onDiagnostic = { diagnostic in
                // The report of a work whose problem an action tells is a step as well.
                if case .work(.problemReported) = diagnostic { return }
                record.entries.withLock { $0.diagnostics.append(diagnostic) }
            }
            return store
        }
        environment = clock.environment(startingAt: time)
        store = makeStore(state, environment, record, nil)
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

    /// The time of day, as steps are told it.
    public var time: Timestamp { environment.now() }

    /// Moves the clock, and does on the way everything that effects wait for, in its order.
    ///
    /// The store reduces their reports at the time of each; the steps wait for `receive`.
    public func advance(
        by duration: Duration = .zero, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        clock.advance(by: duration) { settle(sourceLocation) }
    }

    /// Moves the clock from wake to wake until no effect sleeps; fails after so many wakes.
    public func run(
        atMost wakes: Int = 1_000, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard !clock.run(atMost: wakes, settle: { settle(sourceLocation) }) else { return }
        fail("Effects still sleep after \(wakes) wakes: \(unfinished)", sourceLocation)
    }

    /// Ends the session: cancels every effect, as when its clients have gone for good.
    package func cancelEffects(sourceLocation: SourceLocation = #_sourceLocation) {
        settle(sourceLocation)
        store.cancelAllEffects()
        settle(sourceLocation)
    }

    /// Ends the test: in an exhaustive one everything is received, and no effect runs.
    ///
    /// The store finishes when it is deinitialized, unless the test has called this before. Its
    /// failures then stand at the line that made the store.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) {
        guard !isFinished else { return }
        closePreceding("the test ends", sourceLocation)
        isFinished = true
        if exhaustivity == .exhaustive, !unfinishedNames.isEmpty {
            fail("When the test ends, work still runs: \(unfinished)", sourceLocation)
        }
        cancelEffects(sourceLocation: sourceLocation)
    }

    /// Runs effects, and gives the store what they report, until each has ended or waits.
    func settle(_ sourceLocation: SourceLocation) {
        // So many suspensions of work at one time of the clock are an endless loop.
        let pieceLimit = 1_000_000
        var count = 0
        repeat {
            while let delivery = record.nextDelivery() { store.receive(delivery) }
            count += 1
        } while count <= pieceLimit && clock.work.runNext()
        if count > pieceLimit {
            let text =
                "Work does not come to rest: \(pieceLimit) pieces of it were run, and more wait."
            fail("\(text) Running: \(unfinished)", sourceLocation)
        }
        record.entries.withLock { entries in
            steps += entries.steps
            diagnostics += entries.diagnostics
            (entries.steps, entries.diagnostics) = ([], [])
        }
    }

    /// The names of the works that a test has to end, and of the effects; alarms may be left.
    var unfinished: String {
        let names = unfinishedNames.map { "\"\($0)\"" }
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    private var unfinishedNames: [String] {
        let works = store.runningWork.filter { work in
            switch work.stage {
            case .due, .fired: false
            case .running, .finishing, .waiting, .paused: true
            }
        }
        return works.map(\.name) + store.runningEffects.map(\.name)
    }
}

extension TestStore where State: Codable {
    /// Ends the process and begins another one with the state as it was kept: it goes through JSON,
    /// and all work that it wants starts anew. What ran is cancelled; effects are lost. The
    /// options may refuse the state, which is a failure.
    ///
    ///     store.restart()
    ///
    /// Work has the key of before, and versions, ids and the clock go on. A `Secret` in the state is
    /// not written, and reads `<redacted>` afterwards.
    ///
    /// - Parameter setback: the wall clock is set back by so much meanwhile, and steps go on.
    public func restart(
        settingClockBackBy setback: Duration = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        settle(sourceLocation)
        do {
            let (kept, isSame, _) = try wayThroughJSON(of: store.state)
            if !isSame {
                fail("The state is another one once it has been through JSON.", sourceLocation)
            }
            try validate?(kept)
            if state == store.state { state = kept }
            let (last, now) = (store, environment.now)
            if setback != .zero { environment.now = { now() + (.zero - setback) } }
            // What tasks of the last process report still is lost with its record.
            record = TestRecord()
            store = makeStore(kept, environment, record, last)
            last.cancelAllEffects()
            store.startWork()
            settle(sourceLocation)
        } catch {
            fail("The state does not survive a restart: \(error)", sourceLocation)
        }
    }
}

/// What a store has told, until its test takes it. Effects may report from any thread.
private final class TestRecord<State: Sendable, Action: Sendable>: Sendable {
    let entries = Lock(
        (
            deliveries: [StoreDelivery<Action>](), steps: [Transition<State, Action>](),
            diagnostics: [StoreDiagnostic]()
        ))

    /// Writes each step down.
    var middleware: Middleware<State, Action> {
        Middleware(
            "test store",
            effectsAfter: { step in
                self.entries.withLock { $0.steps.append(step) }
                return []
            })
    }

    /// Takes the report that has waited longest.
    func nextDelivery() -> StoreDelivery<Action>? {
        entries.withLock { $0.deliveries.isEmpty ? nil : $0.deliveries.removeFirst() }
    }
}
