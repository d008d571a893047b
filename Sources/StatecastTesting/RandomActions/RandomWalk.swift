import Redux
import StateCoding
import Statecast

/// Chooses the steps of one sequence, one after the other, by what the state is then.
struct RandomWalk<App: Application> {
    /// The texts, numbers and choices that steps are made of.
    var values: ValueMaker
    private let plan: SequencePlan<App>
    /// The types that the sequence is made of. Many a state is reached only where an action that
    /// undoes the others is not among them.
    private let types: [String]
    private var time: Timestamp
    private var number: UInt64

    /// - Parameters:
    ///   - all: the types that can be made; each sequence leaves some of them out.
    ///   - last: the step before the first one.
    init(
        _ plan: SequencePlan<App>, _ all: [String], behind last: SequenceStep<App.Action>?,
        from values: ValueMaker
    ) {
        var values = values
        let share = values.element(of: [1, 1, 2, 3])
        let some = all.filter { _ in share == 1 || values.pick(share) == 0 }
        types = some.isEmpty ? all : some
        self.plan = plan
        self.values = values
        time = last?.at ?? plan.test.time
        number = last?.number ?? 0
    }

    /// The next step, and its type where that was chosen.
    ///
    /// - Parameters:
    ///   - works: what the state lists; some of it reports.
    ///   - untried: the types that the reducer has not accepted yet, which are tried more often.
    mutating func next(
        after works: [SequenceRun<App>.ListedWork], untried: [String]
    ) -> (step: SequenceStep<App.Action>, type: String?) {
        number += 1
        time = time + .milliseconds(pickPause())
        if !works.isEmpty, values.pick(4) == 0, let report = report(of: values.element(of: works)) {
            return (step(report, by: nil), nil)
        }
        let isTrial = !untried.isEmpty && values.pick(4) == 0
        let type = values.element(of: isTrial ? untried : types)
        let samples = plan.samples[type] ?? ([], [])
        let action = plan.maker.action(of: type, like: samples, from: &values)
        let isFact = plan.maker.facts.contains(type)
        let by = isFact ? nil : values.element(of: plan.test.principals)
        return (step(action, by: by), type)
    }

    private mutating func step(
        _ action: App.Action, by principal: Principal?
    ) -> SequenceStep<App.Action> {
        SequenceStep(
            number: number, at: time, by: principal, action: action, seed: values.makeSeed())
    }

    private mutating func pickPause() -> Int {
        switch values.pick(20) {
        case 0..<12: 0
        case 12..<17: values.pick(1_000)
        case 17..<19: values.pick(60_000)
        default: values.pick(25 * 3_600_000)
        }
    }

    /// The report of a work: of an alarm when it is due, unless that is years ahead.
    private mutating func report(of work: SequenceRun<App>.ListedWork) -> App.Action? {
        switch work.kind {
        case .alarm(let due, let action):
            guard due < time + .seconds(100 * 86_400) else { return nil }
            time = max(time, due)
            return action
        case .operation(let operation):
            let isProblem = values.pick(3) == 0
            let start = JSONTree.object([(isProblem ? "problem" : "value", .null)])
            let answer: (any Decodable)? = values.value(from: start) { json, misfit in
                do throws(DecodingFailure) {
                    return try StateDecoder().decode(operation.answer.type, from: json.json.span)
                } catch {
                    misfit = error.pointer
                    return nil
                }
            }
            return answer.flatMap(operation.answer.action)
        case .group: return nil
        }
    }
}
