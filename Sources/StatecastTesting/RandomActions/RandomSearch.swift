import Bytes
import Redux
import StateCoding
import Statecast

/// The search for a sequence of actions that comes to a fault.
struct RandomSearch<App: Application> {
    private let plan: SequencePlan<App>
    /// The types of which actions can be made.
    private let types: [String]
    private(set) var counts = ActionCoverage()
    /// Those of the sequence. Many a state is reached only where an action that undoes the others is
    /// not among them.
    private var chosen: [String] = []
    /// The texts, numbers and choices that the sequence's steps are made of.
    private var values = ValueMaker(cases: [])
    /// The types that the reducer has not accepted yet.
    private var untried: [String]
    /// The features that states had.
    private var features: Set<String> = []
    /// The points at which a sequence found a feature first, or had a type accepted first: others go
    /// on from there.
    private var points: [SequenceRun<App>] = []

    /// The steps of one sequence at most, and the steps from one look at the JSON to the next.
    private static var lengthLimit: Int { 200 }
    /// So many points are kept, after so many steps at most.
    private static var pointLimit: Int { 100 }
    private static var pointDepth: Int { 1_000 }
    private static var thoroughPeriod: Int { 4 }

    init(_ plan: SequencePlan<App>) {
        self.plan = plan
        types = plan.maker.types.filter { plan.samples[$0] != nil }
        untried = types
        for type in plan.maker.types { counts.made[type] = 0 }
    }

    /// Takes so many steps in all, and stops at the first fault, whose sequence is then shrunk.
    mutating func run(stepCount: Int) -> SequenceFinding<App.Action>? {
        var beginning = SequenceRun(plan)
        if let fault = beginning.begin() { return beginning.finding(fault) }
        var chance = SplitMix(seed: plan.test.seed)
        while counts.stepCount < stepCount, !types.isEmpty {
            counts.sequenceCount += 1
            let isFresh = points.isEmpty || chance.number(below: 3) == 0
            // A later point is the further one, more often than not.
            let place = isFresh ? 0 : max(pick(&chance), pick(&chance))
            let point = isFresh ? beginning : points[place]
            values = ValueMaker(seed: chance.next(), cases: plan.cases)
            chooseTypes()
            let length = 1 + chance.number(below: isFresh ? Self.lengthLimit : Self.lengthLimit / 4)
            plan.trace?.info("Sequence \(counts.sequenceCount) of seed \(plan.test.seed):")
            for step in point.steps { plan.trace?.info("\(step.text(plan.maker))") }
            if let finding = take(min(length, stepCount - counts.stepCount), from: point) {
                var shrinker = SequenceShrinker(finding, plan)
                shrinker.shrink()
                return shrinker.finding
            }
        }
        return nil
    }

    private func pick(_ chance: inout SplitMix) -> Int {
        chance.number(below: points.count)
    }

    private mutating func take(
        _ length: Int, from point: SequenceRun<App>
    ) -> SequenceFinding<App.Action>? {
        var point = point
        for index in 0..<length {
            if index % Self.thoroughPeriod == 0,
                let words = try? StateWords(
                    of: point.json, and: plan.test.principals.compactMap(\.id))
            {
                values.words = words
                if !words.features.isSubset(of: features) { keep(point) }
                features.formUnion(words.features)
            }
            let issueCount = plan.issues.count
            let (step, type) = nextStep(of: point)
            if let fault = plan.issues.fault(since: issueCount) { return point.finding(fault) }
            plan.trace?.info("\(step.text(plan.maker))")
            let isThorough = (index + 1) % Self.thoroughPeriod == 0 || index == length - 1
            if let fault = point.take(step, isThorough: isThorough) {
                return point.finding(fault)
            }
            count(type ?? (try? plan.maker.type(of: step.action)) ?? "", at: point)
        }
        return nil
    }

    private mutating func count(_ type: String, at point: SequenceRun<App>) {
        counts.add(type, isAccepted: point.isAccepted)
        guard point.isAccepted, let place = untried.firstIndex(of: type)
        else { return }
        untried.remove(at: place)
        keep(point)
    }

    /// Keeps a point, in place of an older one where there are many.
    private mutating func keep(_ point: SequenceRun<App>) {
        guard point.steps.count < Self.pointDepth else { return }
        if points.count < Self.pointLimit {
            points.append(point)
        } else {
            points[counts.stepCount % Self.pointLimit] = point
        }
    }

    // MARK: Choosing

    /// Chooses the types that a sequence is made of.
    private mutating func chooseTypes() {
        let share = values.element(of: [1, 1, 2, 3])
        let some = types.filter { _ in share == 1 || values.pick(share) == 0 }
        chosen = some.isEmpty ? types : some
    }

    /// The next step, and its type where that was chosen: by what the state is, whose works report now
    /// and then.
    private mutating func nextStep(
        of run: SequenceRun<App>
    ) -> (step: SequenceStep<App.Action>, type: String?) {
        var time = (run.steps.last?.at ?? plan.test.time) + .milliseconds(pickPause())
        var type: String?
        let action: App.Action
        if !run.works.isEmpty, values.pick(4) == 0,
            let report = report(of: values.element(of: run.works), at: &time)
        {
            action = report
        } else {
            // Types that the reducer has not accepted yet are tried more often.
            let isTrial = !untried.isEmpty && values.pick(4) == 0
            let next = values.element(of: isTrial ? untried : chosen)
            let samples = plan.samples[next] ?? ([], [])
            action = plan.maker.action(of: next, like: samples, from: &values)
            type = next
        }
        let isFact = type.map(plan.maker.facts.contains) ?? true
        let by = isFact ? nil : values.element(of: plan.test.principals)
        let step = SequenceStep(
            number: (run.steps.last?.number ?? 0) + 1, at: time, by: by, action: action,
            seed: values.makeSeed())
        return (step, type)
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
    private mutating func report(
        of work: SequenceRun<App>.ListedWork, at time: inout Timestamp
    ) -> App.Action? {
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

/// The number of actions of each type that ``RandomActions`` has made, and that the reducer has
/// accepted.
package struct ActionCoverage: Sendable, Hashable {
    /// By the type on the wire: `["table/made": 812]`.
    package internal(set) var made: [String: Int] = [:]
    /// Accepted by the reducer, in the same way.
    package internal(set) var accepted: [String: Int] = [:]
    /// The number of sequences.
    package internal(set) var sequenceCount = 0
    /// The number of all actions.
    package internal(set) var stepCount = 0

    /// The types of which no action was accepted, sorted: what they do was not tried.
    package var neverAccepted: [String] {
        made.keys.filter { accepted[$0, default: 0] == 0 }.sorted()
    }

    mutating func add(_ type: String, isAccepted: Bool) {
        stepCount += 1
        made[type, default: 0] += 1
        if isAccepted { accepted[type, default: 0] += 1 }
    }
}
