import FoundationEssentials
public import Redux
import Sockets
public import Statecast
public import Testing

/// A test that does to an application what its author has not thought of: random actions of all
/// types, in every state that they lead to.
///
///     @Test func `no sequence of actions breaks the table`() {
///         RandomActions(CardTable(), as: [alice, bob]).check { table in
///             #expect(table.cards == Card.deck)
///         }
///     }
///
/// A sequence has up to 200 steps. It begins with a new session, or goes on from where another one
/// came to something new. Payloads are made up by what the actions' decoding asks for, and are
/// variations of the options' examples; texts and numbers are often those that stand in the state: ids,
/// names, keys. Time goes on between steps. Clients' actions are sent by any
/// of the principals, and facts are said by the server, at any time, as a handle may; no work runs,
/// and the work that a state lists is answered at random.
///
/// Besides what the closure expects, these are failures:
///
/// - the reducer does not do the same again with the same state, action and step, also where the
///   dictionaries and sets of the state lie in another order, as they do after a restart;
/// - the reducer, the work that a state lists, its answers or a view record an issue of their own;
/// - a state lists two works of one name;
/// - the options' `validate` refuses a state;
/// - the reducer rejects a client's action with a code that the application does not declare, where
///   it declares some;
/// - a state is another one once it has been through JSON, or a view cannot be shown to one of the
///   principals (these two are looked at with every fourth step).
///
/// At the first failure the sequence is shrunk: steps are left out, and payloads are made simpler, as
/// long as the failure is of the same kind. The issue of the test then lists what is left:
///
///     Found by RandomActions in 3 steps (of 57, seed 1):
///         1. alice, at 0 ms: {"type":"sat"}
///         2. bob, at 0 ms: {"type":"sat"}
///         3. alice, at 0 ms: {"type":"played","payload":{"card":0}}
///
/// A step makes ids of its number: `id-3`, then `id-3.2`.
///
/// The steps are the same in every run, until another `seed` is given. A trap ends the process, and
/// nothing can be shrunk: run the test again with the environment variable `RANDOM_TRACE=1`, which
/// has each step written to standard error before it is taken.
public struct RandomActions<App: Application>: Sendable {
    let application: App
    /// The state and the time at which sequences begin.
    let start: App.State
    let time: Timestamp
    /// Send the clients' actions, and look at the views.
    let principals: [Principal]
    let session: SessionID
    let options: SessionOptions<App.State, App.Action>
    /// The reason why no sequence begins.
    private let fault: String?
    private let steps: Int?
    let seed: UInt64
    /// The variables of the process.
    package var environment = ProcessInfo.processInfo.environment

    /// A test of an application.
    ///
    /// - Parameters:
    ///   - state: what each sequence begins with, in place of the application's initial state.
    ///   - input: the session's input, of which the application makes its first state.
    ///   - session: its name; `test` where there is none.
    ///   - principals: send the clients' actions, and look at the views; the first has the session
    ///     made.
    ///   - options: as where the application is served. Their examples are sent now and then beside
    ///     the actions that are made up: for types whose payload cannot be made up, or is hardly ever
    ///     met. A state that they refuse is a failure.
    ///   - steps: the number of steps in all, one or more; nil: as many as the environment variable
    ///     `RANDOM_STEPS` says, or 5,000.
    ///   - seed: chooses the steps.
    ///   - time: the time of day at which each sequence begins.
    public init(
        _ application: App, initial state: App.State? = nil,
        input: @autoclosure () -> App.Input? = nil,
        session: SessionID? = nil, as principals: [Principal] = [.anonymous],
        options: SessionOptions<App.State, App.Action> = .init(), steps: Int? = nil,
        seed: UInt64 = 1, time: Timestamp = Timestamp(milliseconds: 0)
    ) {
        precondition(!principals.isEmpty, "At least one principal sends the actions.")
        self.application = application
        self.principals = principals
        self.session = session ?? .test
        self.time = time
        self.options = options
        self.steps = steps
        self.seed = seed
        let beginning = application.beginning(
            of: self.session, with: input(), or: state, by: principals[0],
            in: ManualClock().environment(startingAt: time))
        start = beginning.state
        fault = beginning.fault ?? application.views.fault
    }

    /// Takes the steps, and looks at the state at the beginning and after each accepted action.
    ///
    /// - Parameter invariant: says with `#expect` what always holds of a state, or throws.
    /// - Returns: the types of which the reducer has accepted no action, sorted: what they do was not
    ///   tried.
    @discardableResult
    public func check(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ invariant: @escaping @Sendable (App.State) throws -> Void
    ) -> [String] {
        count(sourceLocation: sourceLocation) { try invariant($1) }.neverAccepted
    }

    /// Takes the steps, and looks at each accepted action, with the states before and after it.
    ///
    ///     RandomActions(Auction(), as: [ann, bob]).check { before, action, after in
    ///         if before.isSold { #expect(after == before) }
    ///     }
    ///
    /// - Parameter invariant: says with `#expect` what always holds of a step, or throws.
    /// - Returns: as that of the states.
    @discardableResult
    public func check(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ invariant:
            @escaping @Sendable (
                _ before: App.State, _ action: App.Action, _ after: App.State
            ) throws -> Void
    ) -> [String] {
        let counts = count(sourceLocation: sourceLocation) { step, after in
            if let (before, action) = step { try invariant(before, action, after) }
        }
        return counts.neverAccepted
    }

    /// As `check`, and answers with the number of actions by their types.
    package func count(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ invariant:
            @escaping @Sendable (
                _ step: (before: App.State, action: App.Action)?, App.State
            ) throws -> Void
    ) -> ActionCoverage {
        let variable = environment["RANDOM_STEPS"]
        let wanted = steps.map { "\($0)" } ?? variable ?? "5000"
        guard let stepCount = Int(wanted), stepCount > 0 else {
            let name = steps == nil ? "RANDOM_STEPS" : "steps"
            fail(
                "\(name) is \"\(wanted)\", and has to be a number from 1: nothing was tried.",
                sourceLocation)
            return ActionCoverage()
        }
        if let fault {
            fail(fault, sourceLocation)
            return ActionCoverage()
        }
        do {
            let plan = try SequencePlan(self, invariant)
            let unmade = plan.maker.types.filter { plan.samples[$0] == nil }
            if !unmade.isEmpty {
                fail(
                    "No payload can be made up for \(unmade.joined(separator: ", ")): "
                        + "give the options an example of each.", sourceLocation)
            }
            let dropped: @Sendable (Issue) -> Issue? = { issue in
                plan.issues.add(issue)
                return nil
            }
            let (counts, finding) = CaughtIssues.change(dropped) {
                var plan = plan
                let kept = try? wayThroughJSON(of: plan.test.start).copy
                plan.twin = kept == plan.test.start ? kept : nil
                var search = RandomSearch(plan)
                let finding = search.run(stepCount: stepCount)
                return (search.counts, finding)
            }
            if let finding { record(finding, plan, sourceLocation) }
            return counts
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
            return ActionCoverage()
        }
    }

    // MARK: Recording

    /// Records one issue with the sequence: the test's own, where its closure has recorded one.
    private func record(
        _ finding: SequenceFinding<App.Action>, _ plan: SequencePlan<App>,
        _ sourceLocation: SourceLocation
    ) {
        let count = finding.steps.count == 1 ? "1 step" : "\(finding.steps.count) steps"
        let title = "Found by RandomActions in \(count) (of \(finding.foundCount), seed \(seed)):"
        let text = title + list(finding.steps.map { $0.text(plan.maker) })
        guard finding.fault.kind == .invariant else {
            return fail("\(finding.fault.text)\n\(text)", sourceLocation)
        }
        if let error = finding.fault.error {
            Issue.record(error, Comment(rawValue: text), sourceLocation: sourceLocation)
            return
        }
        let before = plan.issues.count
        let changed: @Sendable (Issue) -> Issue? = { issue in
            plan.issues.add(issue)
            var issue = issue
            issue.comments.append(Comment(rawValue: text))
            return issue
        }
        CaughtIssues.change(changed) {
            var unlooked = plan
            unlooked.invariant = { _, _ in }
            var run = SequenceRun(unlooked)
            var last: (before: App.State, action: App.Action)?
            for step in finding.steps {
                last = (run.state, step.action)
                _ = run.take(step, isThorough: false)
            }
            try? plan.invariant(last, run.state)
        }
        if plan.issues.count == before {
            fail(
                "The closure has failed, and does not fail again with the same state: it depends on "
                    + "something else.\n\(text)", sourceLocation)
        }
    }
}
