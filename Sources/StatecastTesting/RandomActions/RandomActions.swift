import FoundationEssentials
import Logging
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
/// came to something new. Payloads are made up by their types; texts and numbers are often those that
/// stand in the state: ids, names, keys. Time goes on between steps. Clients' actions are sent by any
/// of the principals, and facts are said by the server, at any time, as a handle may; no work runs,
/// and the work that a state lists is answered at random.
///
/// Besides what the closure expects, these are failures:
///
/// - the reducer does not do the same again with the same state, action and step;
/// - the reducer, the work that a state lists, its answers or a view record an issue of their own;
/// - a state lists two works of one name;
/// - the options' `validate` refuses a state;
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
    private let application: App
    private let beginning: TestBeginning<App>
    private let principals: [Principal]
    private let session: SessionID
    private let time: Timestamp
    private let options: SessionOptions<App.State, App.Action>
    private let stepCount: Int
    /// The sentence about a number of steps that is none; nil where it is good.
    private let stepFault: String?
    private let seed: UInt64
    private let isTraced: Bool

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
        _ application: App, initial state: App.State? = nil, input: App.Input? = nil,
        session: SessionID? = nil, as principals: [Principal] = [.anonymous],
        options: SessionOptions<App.State, App.Action> = .init(), steps: Int? = nil,
        seed: UInt64 = 1, time: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.init(
            application, initial: state, input: input, session: session, as: principals,
            options: options, steps: steps, stepVariable: Self.variable("RANDOM_STEPS"),
            seed: seed, time: time, isTraced: Self.variable("RANDOM_TRACE") != nil)
    }

    package init(
        _ application: App, initial state: App.State? = nil, input: App.Input? = nil,
        session: SessionID? = nil, as principals: [Principal],
        options: SessionOptions<App.State, App.Action> = .init(), steps: Int? = nil,
        stepVariable: String? = nil, seed: UInt64 = 1,
        time: Timestamp = Timestamp(milliseconds: 0), isTraced: Bool
    ) {
        precondition(!principals.isEmpty, "At least one principal sends the actions.")
        self.application = application
        self.principals = principals
        self.session = session ?? .test
        self.time = time
        self.options = options
        self.seed = seed
        self.isTraced = isTraced
        let wanted = steps.map { "\($0)" } ?? stepVariable ?? "5000"
        stepCount = Int(wanted) ?? 0
        let name = steps == nil ? "RANDOM_STEPS" : "steps"
        stepFault =
            stepCount > 0
            ? nil : "\(name) is \"\(wanted)\", and has to be a number from 1: nothing was tried."
        beginning = TestBeginning(
            application, state, input: input, of: self.session, by: principals[0],
            in: ManualClock().environment(startingAt: time))
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }

    /// Takes the steps, and looks at the state at the beginning and after each step that changes it.
    ///
    /// - Parameter invariant: says with `#expect` what always holds, or throws.
    /// - Returns: the types of which the reducer has accepted no action, sorted: what they do was not
    ///   tried.
    @discardableResult
    public func check(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ invariant: @escaping @Sendable (App.State) throws -> Void
    ) -> [String] {
        count(sourceLocation: sourceLocation, invariant).neverAccepted
    }

    /// As `check`, and answers with the number of actions by their types.
    package func count(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ invariant: @escaping @Sendable (App.State) throws -> Void
    ) -> ActionCoverage {
        if let fault = stepFault ?? beginning.fault ?? application.views.fault {
            Issue.record(Comment(rawValue: fault), sourceLocation: sourceLocation)
            return ActionCoverage()
        }
        do {
            let maker = try ActionMaker<App.Action>(examples: options.examples)
            let unmade = maker.unmadeTypes(by: principals)
            if !unmade.isEmpty {
                let text =
                    "No payload can be made up for \(unmade.joined(separator: ", ")): "
                    + "give RandomActions an example of each."
                Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
            }
            let (counts, finding) = search(with: maker, besides: unmade, invariant)
            if let finding { record(finding, maker, sourceLocation, invariant) }
            return counts
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
            return ActionCoverage()
        }
    }

    private func search(
        with maker: ActionMaker<App.Action>, besides unmade: [String],
        _ invariant: @escaping @Sendable (App.State) throws -> Void
    ) -> (ActionCoverage, RandomSearch<App>.Finding?) {
        let result = Lock<(ActionCoverage, RandomSearch<App>.Finding?)>((ActionCoverage(), nil))
        CaughtIssues.count { count in
            let plan = plan(with: maker, issues: count) { state in
                let before = count.now
                do {
                    try invariant(state)
                } catch {
                    if count.now == before { return .invariant(error) }
                }
                return count.now > before ? .invariant(nil) : nil
            }
            let kinds = maker.kinds.filter { !unmade.contains($0.type) }
            var search = RandomSearch(
                plan, kinds, by: principals, from: time, seed: seed,
                trace: isTraced ? Self.makeLogger() : nil)
            let finding = search.run(stepCount: kinds.isEmpty ? 0 : stepCount)
            result.withLock { $0 = (search.counts, finding) }
        }
        return result.withLock { $0 }
    }

    private func plan(
        with maker: ActionMaker<App.Action>, issues: IssueCount,
        _ fault: @escaping (App.State) -> SequenceFault?
    ) -> SequenceRun<App>.Plan {
        SequenceRun<App>.Plan(
            application: application, maker: maker, viewers: principals.map { Viewer($0) },
            session: session, start: beginning.state, issues: issues, validate: options.validate,
            fault: fault)
    }

    private static func makeLogger() -> Logger {
        Logger(label: "RandomActions") { StreamLogHandler.standardError(label: $0) }
    }

    // MARK: Recording

    /// Records one issue with the sequence: the test's own, where its closure has recorded one.
    private func record(
        _ finding: RandomSearch<App>.Finding, _ maker: ActionMaker<App.Action>,
        _ sourceLocation: SourceLocation,
        _ invariant: @escaping @Sendable (App.State) throws -> Void
    ) {
        let text = Comment(rawValue: text(of: finding, maker))
        guard finding.fault.kind == .invariant else {
            let whole = Comment(rawValue: "\(finding.fault.text)\n\(text)")
            Issue.record(whole, sourceLocation: sourceLocation)
            return
        }
        if let error = finding.fault.error {
            Issue.record(error, text, sourceLocation: sourceLocation)
            return
        }
        let count = IssueCount()
        let changed: @Sendable (Issue) -> Issue? = { issue in
            count.add(issue)
            var issue = issue
            issue.comments.append(text)
            return issue
        }
        CaughtIssues.change(changed) {
            var run = SequenceRun(plan(with: maker, issues: count) { _ in nil })
            for step in finding.steps { _ = run.take(step, isThorough: false) }
            try? invariant(run.state)
        }
        if count.now == 0 {
            let whole =
                "The closure has failed, and does not fail again with the same state: it depends on "
                + "something else.\n\(text)"
            Issue.record(Comment(rawValue: whole), sourceLocation: sourceLocation)
        }
    }

    private func text(
        of finding: RandomSearch<App>.Finding, _ maker: ActionMaker<App.Action>
    ) -> String {
        let count = finding.steps.count == 1 ? "1 step" : "\(finding.steps.count) steps"
        let lines = finding.steps.map { "\n    \($0.text(maker))" }
        return "Found by RandomActions in \(count) (of \(finding.foundCount), seed \(seed)):"
            + lines.joined()
    }
}
