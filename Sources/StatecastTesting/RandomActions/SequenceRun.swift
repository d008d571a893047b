import Redux
import StateCoding
import Statecast

/// The way of a state through the steps of a sequence, and all that has to hold on it for any
/// application.
struct SequenceRun<App: Application> {
    /// The part of the test that all runs share.
    struct Plan {
        let application: App
        let maker: ActionMaker<App.Action>
        let viewers: [Viewer]
        let session: SessionID
        let start: App.State
        /// Those that were recorded so far, also by the application.
        let issues: IssueCount
        /// Refuses a state, as where the application is served.
        let validate: ((App.State) throws(Rejection) -> Void)?
        /// The test's closure; answers with what is wrong with a state.
        let fault: (App.State) -> SequenceFault?
    }

    private(set) var state: App.State
    /// The work that the state lists.
    private(set) var works: [ListedWork<App.Action>] = []
    /// The JSON of the state, as it was when it was checked last.
    private(set) var json: [UInt8] = []
    /// The reducer has accepted the last step.
    private(set) var isAccepted = false
    private let plan: Plan

    init(_ plan: Plan) {
        self.plan = plan
        state = plan.start
    }

    /// Looks at the state that a sequence begins with.
    mutating func begin() -> SequenceFault? {
        let count = plan.issues.now
        return look(isThorough: true) ?? plan.issues.fault(since: count)
    }

    /// Reduces an action, and looks at what has come of it.
    ///
    /// - Parameter isThorough: the state is written and read, and shown to all viewers.
    mutating func take(
        _ step: SequenceStep<App.Action>, isThorough: Bool
    ) -> SequenceFault? {
        let count = plan.issues.now
        return reduce(step, isThorough: isThorough) ?? plan.issues.fault(since: count)
    }

    private mutating func reduce(
        _ step: SequenceStep<App.Action>, isThorough: Bool
    ) -> SequenceFault? {
        let first = attempt(step)
        if let fault = difference(of: first, from: attempt(step)) { return fault }
        switch first {
        case .failure:
            isAccepted = false
            return nil
        case .success(let next):
            isAccepted = true
            let isChanged = next != state
            state = next
            return isChanged || isThorough ? look(isThorough: isThorough) : nil
        }
    }

    private func attempt(_ step: SequenceStep<App.Action>) -> Result<App.State, Rejection> {
        var next = state
        let surroundings = Step(
            by: step.by, at: step.at, version: step.number, session: plan.session, epoch: "id",
            seed: step.seed)
        do throws(Rejection) {
            try plan.application.reduce(&next, step.action, surroundings)
            return .success(next)
        } catch {
            return .failure(error)
        }
    }

    private func difference(
        of first: Result<App.State, Rejection>, from second: Result<App.State, Rejection>
    ) -> SequenceFault? {
        if first == second { return nil }
        var lines: [String] = []
        if case .success(let first) = first, case .success(let second) = second {
            lines = StateDiff.lines(first, second)
        }
        return SequenceFault(
            kind: .impureReducer,
            text: "The reducer does not do the same again with the same state, action and step."
                + lines.map { "\n    \($0)" }.joined())
    }

    private mutating func look(isThorough: Bool) -> SequenceFault? {
        works = ListedWork.list(plan.application.work(in: state))
        var names: Set<String> = []
        if let doubled = works.first(where: { !names.insert($0.name).inserted }) {
            return SequenceFault(
                kind: .doubledWork, text: "The state lists two works named \"\(doubled.name)\".")
        }
        if isThorough, let fault = writingFault() ?? viewFault() { return fault }
        return refusal() ?? plan.fault(state)
    }

    private func refusal() -> SequenceFault? {
        do throws(Rejection) {
            try plan.validate?(state)
            return nil
        } catch {
            return SequenceFault(
                kind: .refusedState,
                text: "The options refuse the state: \(error.code): \(error.message)")
        }
    }

    /// The state survives a restart.
    private mutating func writingFault() -> SequenceFault? {
        do {
            json = []
            try StateEncoder().encode(state, into: &json)
            let kept = try StateDecoder().decode(App.State.self, from: json.span)
            if try TestJSON.isSame(kept, as: state) { return nil }
            return SequenceFault(
                kind: .lostState,
                text: "The state is another one once it has been through JSON:"
                    + StateDiff.lines(state, kept).map { "\n    \($0)" }.joined())
        } catch {
            return SequenceFault(
                kind: .lostState, text: "The state does not survive a way through JSON: \(error)")
        }
    }

    private func viewFault() -> SequenceFault? {
        let views = plan.application.views
        for viewer in plan.viewers {
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
