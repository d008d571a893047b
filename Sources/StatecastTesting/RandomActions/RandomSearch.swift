import Redux
import Statecast

/// The search for a sequence of actions that comes to a fault.
struct RandomSearch<App: Application> {
    /// A sequence that comes to a fault with its last step.
    struct Finding: Sendable {
        var steps: [SequenceStep<App.Action>]
        var fault: SequenceFault
        /// The number of steps before it was shrunk.
        let foundCount: Int

        /// The shortest sequence that comes to the same fault.
        func shrunk(_ plan: SequencePlan<App>) -> Finding {
            // A closure that remembers may not fail again; nor do steps before an answer that is
            // made up.
            guard SequenceRun.failure(of: steps, plan) != nil else { return self }
            var shrinker = SequenceShrinker(steps, plan, to: fault.kind)
            shrinker.shrink()
            guard let (_, fault) = SequenceRun.failure(of: shrinker.steps, plan) else {
                return self
            }
            return Finding(steps: shrinker.steps, fault: fault, foundCount: foundCount)
        }
    }

    private let plan: SequencePlan<App>
    private let actions: KnownActions<App.Action>
    private(set) var counts = ActionCoverage()
    /// The types that the reducer has not accepted yet.
    private var untried: [ActionMaker<App.Action>.Kind]
    /// The features that states had.
    private var features: Set<String> = []
    /// The points at which a sequence found a feature first, or had a type accepted first: others go
    /// on from there.
    private var points: [Point] = []

    /// A sequence so far.
    private struct Point {
        var run: SequenceRun<App>
        var steps: [SequenceStep<App.Action>]

        func finding(_ fault: SequenceFault) -> Finding {
            Finding(steps: steps, fault: fault, foundCount: steps.count)
        }
    }

    /// The steps of one sequence at most, and the steps from one look at the JSON to the next.
    private static var lengthLimit: Int { 200 }
    /// So many points are kept, after so many steps at most.
    private static var pointLimit: Int { 100 }
    private static var pointDepth: Int { 1_000 }
    private static var thoroughPeriod: Int { 4 }

    init(_ plan: SequencePlan<App>, _ actions: KnownActions<App.Action>) {
        self.plan = plan
        self.actions = actions
        untried = actions.kinds
        for kind in plan.maker.kinds { counts.made[kind.type] = 0 }
    }

    /// Takes so many steps in all, and stops at the first fault, whose sequence is then shrunk.
    ///
    /// - Parameter cases: those of the enums that payloads may hold.
    mutating func run(stepCount: Int, seed: UInt64, cases: [[String]]) -> Finding? {
        var beginning = Point(run: SequenceRun(plan), steps: [])
        if let fault = beginning.run.begin() { return beginning.finding(fault) }
        var chance = RepeatableGenerator(seed: seed)
        while counts.stepCount < stepCount, !actions.kinds.isEmpty {
            counts.sequenceCount += 1
            let isFresh = points.isEmpty || chance.number(below: 3) == 0
            // A later point is the further one, more often than not.
            let place = isFresh ? 0 : max(pick(&chance), pick(&chance))
            let point = isFresh ? beginning : points[place]
            let values = ValueMaker(seed: chance.next(), cases: cases)
            let walk = RandomWalk(plan, actions, behind: point.steps.last, from: values)
            let length = 1 + chance.number(below: isFresh ? Self.lengthLimit : Self.lengthLimit / 4)
            plan.trace?.info("Sequence \(counts.sequenceCount) of seed \(seed):")
            for step in point.steps { plan.trace?.info("\(step.text(plan.maker))") }
            if let finding = take(min(length, stepCount - counts.stepCount), of: walk, from: point)
            {
                return finding.shrunk(plan)
            }
        }
        return nil
    }

    private func pick(_ chance: inout RepeatableGenerator) -> Int {
        chance.number(below: points.count)
    }

    private mutating func take(
        _ length: Int, of walk: RandomWalk<App>, from point: Point
    ) -> Finding? {
        var (walk, point) = (walk, point)
        for index in 0..<length {
            if index % Self.thoroughPeriod == 0,
                let words = try? StateWords(of: point.run.json, and: plan.principals.map(\.id))
            {
                walk.values.words = words
                if !words.features.isSubset(of: features) { keep(point) }
                features.formUnion(words.features)
            }
            let issueCount = plan.issues.count
            let (step, type) = walk.next(after: point.run.works, untried: untried)
            if let fault = plan.issues.fault(since: issueCount) { return point.finding(fault) }
            plan.trace?.info("\(step.text(plan.maker))")
            point.steps.append(step)
            let isThorough = (index + 1) % Self.thoroughPeriod == 0 || index == length - 1
            if let fault = point.run.take(step, isThorough: isThorough) {
                return point.finding(fault)
            }
            count(type ?? (try? plan.maker.type(of: step.action)) ?? "", at: point)
        }
        return nil
    }

    private mutating func count(_ type: String, at point: Point) {
        counts.add(type, isAccepted: point.run.isAccepted)
        guard point.run.isAccepted, let place = untried.firstIndex(where: { $0.type == type })
        else { return }
        untried.remove(at: place)
        keep(point)
    }

    /// Keeps a point, in place of an older one where there are many.
    private mutating func keep(_ point: Point) {
        guard point.steps.count < Self.pointDepth else { return }
        if points.count < Self.pointLimit {
            points.append(point)
        } else {
            points[counts.stepCount % Self.pointLimit] = point
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
