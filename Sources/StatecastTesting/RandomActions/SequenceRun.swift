import Logging
import Redux
import StateCoding
import Statecast

/// What all runs of sequences of a test share.
struct SequencePlan<App: Application>: Sendable {
    let test: RandomActions<App>
    /// The state that sequences begin with, whose dictionaries and sets lie in another order; nil where it is
    /// another one by then, which `begin` tells.
    var twin: App.State?
    /// The test's closure; nil in place of the step: the state that a sequence begins with.
    typealias Invariant =
        @Sendable (_ step: (before: App.State, action: App.Action)?, App.State) throws -> Void
    var invariant: Invariant
    let maker: ActionMaker<App.Action>
    /// The cases of the enums that payloads may hold.
    let cases: [[String]]
    /// By the types of which actions are at hand, or can be made up.
    private(set) var samples: [String: ActionMaker<App.Action>.Samples] = [:]
    /// Those that were recorded so far, also by the application.
    let issues = CaughtIssues()
    /// Names each step before it is taken.
    private(set) var trace: Logger?

    init(_ test: RandomActions<App>, _ invariant: @escaping Invariant) throws {
        (self.test, self.invariant) = (test, invariant)
        maker = try ActionMaker()
        let shown: [Any] = test.options.examples + [test.start, test.application.initialState]
        cases = ShownCases(in: shown).lists
        if test.environment["RANDOM_TRACE"] != nil {
            trace = Logger(label: "RandomActions") { StreamLogHandler.standardError(label: $0) }
        }
        let examples = try maker.byType(test.options.examples)
        for type in maker.types {
            let given = examples[type] ?? []
            let made = maker.samples(of: type, besides: given, from: ValueMaker(cases: cases))
            if !(given + made).isEmpty { samples[type] = (given, made) }
        }
    }

    /// What the test's closure finds wrong with a state, and with the step that has led to it.
    func fault(
        of state: App.State, after step: (before: App.State, action: App.Action)?
    ) -> SequenceFault? {
        let count = issues.count
        do {
            try invariant(step, state)
        } catch {
            if issues.count == count { return SequenceFault(kind: .invariant, error: error) }
        }
        return issues.count > count ? SequenceFault(kind: .invariant) : nil
    }
}

/// An action of a sequence: who sends it, and when.
struct SequenceStep<Action: Sendable>: Sendable {
    /// The number of its entry. It stays the same when steps before are left out, and so do the ids
    /// and the random numbers that the reducer makes.
    var number: UInt64
    var at: Timestamp
    /// Nil: the server says it.
    var by: Principal?
    var action: Action
    let seed: Seed
}

extension SequenceStep where Action: ActionGroup {
    /// The step in words: `3. alice, at 1200 ms: {"type":"sat"}`.
    func text(_ maker: ActionMaker<Action>) -> String {
        let json = (try? maker.json(of: action)).map { String(decoding: $0, as: UTF8.self) }
        let sender = by.map { $0.id ?? "an anonymous client" } ?? "the server"
        let name = json ?? String(describing: action)
        return "\(number). \(sender), at \(at.milliseconds) ms: \(name)"
    }
}

/// The reason why a sequence of actions is not as it should be.
struct SequenceFault: Sendable {
    /// A kind of fault: a shorter sequence is the same one where it ends in the same kind.
    enum Kind: Sendable {
        /// The test's closure has recorded an issue, or thrown an error.
        case invariant
        case impureReducer, doubledWork, lostState, failingView, refusedState, undeclaredRejection
        /// The application's own code has recorded an issue.
        case recordedIssue
    }

    let kind: Kind
    /// A sentence about it.
    var text = ""
    /// The error that the test's closure has thrown, if it has.
    var error: (any Error)?
}

/// The way of a state through the steps of a sequence, and all that has to hold on it for any
/// application.
struct SequenceRun<App: Application> {
    /// A piece of work that a state lists, with the names of the groups around it.
    typealias ListedWork = (name: String, kind: WorkKind<App.Action>)

    private(set) var state: App.State
    /// The same state, whose dictionaries and sets lie in another order, where it was written since it came.
    private var twin: App.State?
    private(set) var steps: [SequenceStep<App.Action>] = []
    /// The work that the state lists.
    private(set) var works: [ListedWork] = []
    /// The JSON of the state, as it was when it was checked last.
    private(set) var json: [UInt8] = []
    /// The reducer has accepted the last step.
    private(set) var isAccepted = false
    private let plan: SequencePlan<App>

    init(_ plan: SequencePlan<App>) {
        self.plan = plan
        (state, twin) = (plan.test.start, plan.twin)
    }

    /// The first fault of a sequence, and the place of the step that comes to it.
    static func failure(
        of steps: [SequenceStep<App.Action>], _ plan: SequencePlan<App>
    ) -> (index: Int, fault: SequenceFault)? {
        var run = SequenceRun(plan)
        for (index, step) in steps.enumerated() {
            plan.trace?.info("Shrinking, \(step.text(plan.maker))")
            if let fault = run.take(step, isThorough: true) { return (index, fault) }
        }
        return nil
    }

    func finding(_ fault: SequenceFault) -> SequenceFinding<App.Action> {
        SequenceFinding(steps: steps, fault: fault, foundCount: steps.count)
    }

    /// Looks at the state that a sequence begins with.
    mutating func begin() -> SequenceFault? {
        let count = plan.issues.count
        return look(isThorough: true) ?? plan.fault(of: state, after: nil)
            ?? plan.issues.fault(since: count)
    }

    /// Reduces an action, and looks at what has come of it.
    ///
    /// - Parameter isThorough: the state is written and read, and shown to all viewers.
    mutating func take(
        _ step: SequenceStep<App.Action>, isThorough: Bool
    ) -> SequenceFault? {
        steps.append(step)
        let count = plan.issues.count
        return reduce(step, isThorough: isThorough) ?? plan.issues.fault(since: count)
    }

    private mutating func reduce(
        _ step: SequenceStep<App.Action>, isThorough: Bool
    ) -> SequenceFault? {
        let first = attempt(step, on: state)
        if let fault = difference(of: step, from: first) { return fault }
        isAccepted = false
        let next: App.State
        switch first {
        case .success(let state): next = state
        case .failure(let rejection): return step.by.flatMap { _ in undeclared(rejection) }
        }
        isAccepted = true
        let before = state
        (state, twin) = (next, nil)
        if next != before || isThorough, let fault = look(isThorough: isThorough) { return fault }
        return plan.fault(of: state, after: (before, step.action))
    }

    /// The application does not declare the code of what a client is told.
    private func undeclared(_ rejection: Rejection) -> SequenceFault? {
        let declared = plan.test.application.rejectionCodes
        guard !declared.isEmpty, !declared.contains(rejection.code) else { return nil }
        return SequenceFault(
            kind: .undeclaredRejection,
            text: "The application's rejectionCodes do not list \"\(rejection.code)\".")
    }

    private func attempt(
        _ step: SequenceStep<App.Action>, on state: App.State
    ) -> Result<App.State, Rejection> {
        var next = state
        let surroundings = Step(
            by: step.by, at: step.at, version: step.number, session: plan.test.session, epoch: "id",
            seed: step.seed)
        do throws(Rejection) {
            try plan.test.application.reduce(&next, step.action, surroundings)
            return .success(next)
        } catch {
            return .failure(error)
        }
    }

    private func difference(
        of step: SequenceStep<App.Action>, from first: Result<App.State, Rejection>
    ) -> SequenceFault? {
        let second = attempt(step, on: twin ?? state)
        if first == second { return nil }
        let isByOrder = twin != nil && attempt(step, on: state) == first
        var lines: [String] = []
        if case .success(let first) = first, case .success(let second) = second {
            lines = StateDiff.lines(first, second)
        }
        return SequenceFault(
            kind: .impureReducer,
            text: "The reducer does not do the same again with the same state, action and step"
                + (isByOrder
                    ? ", where dictionaries and sets of the state lie in another order: sort them."
                    : ".") + list(lines))
    }

    private mutating func look(isThorough: Bool) -> SequenceFault? {
        works = Work.list(plan.test.application.work(in: state), of: plan.test.session)
        var names: Set<String> = []
        if let doubled = works.first(where: { !names.insert($0.name).inserted }) {
            return SequenceFault(
                kind: .doubledWork, text: "The state lists two works named \"\(doubled.name)\".")
        }
        if isThorough, let fault = writingFault() ?? viewFault() { return fault }
        do throws(Rejection) {
            try plan.test.options.validate?(state)
        } catch {
            return SequenceFault(
                kind: .refusedState,
                text: "The options refuse the state: \(error.code): \(error.message)")
        }
        return nil
    }

    /// The state survives a restart.
    private mutating func writingFault() -> SequenceFault? {
        do {
            let (kept, isSame, json) = try wayThroughJSON(of: state)
            self.json = json
            twin = kept == state ? kept : nil
            if isSame { return nil }
            return SequenceFault(
                kind: .lostState,
                text: "The state is another one once it has been through JSON:"
                    + list(StateDiff.lines(state, kept)))
        } catch {
            return SequenceFault(
                kind: .lostState, text: "The state does not survive a way through JSON: \(error)")
        }
    }

    private func viewFault() -> SequenceFault? {
        let views = plan.test.application.views
        for viewer in plan.test.principals.map({ Viewer($0) }) {
            for name in views.names {
                do {
                    _ = try views.json(of: name, for: viewer, in: state)
                } catch {
                    let title = name.map { "view \"\($0)\"" } ?? "view that stands for the state"
                    return SequenceFault(
                        kind: .failingView,
                        text: "The \(title) cannot be shown to \(viewer): \(error)")
                }
            }
        }
        return nil
    }
}
