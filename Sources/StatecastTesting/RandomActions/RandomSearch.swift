import Logging
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
    }

    private let plan: SequenceRun<App>.Plan
    /// The types that the sequences are made of.
    private let kinds: [ActionMaker<App.Action>.Kind]
    private let principals: [Principal]
    private let start: Timestamp
    private let seed: UInt64
    /// Names each step before it is taken.
    private let trace: Logger?
    private(set) var counts = ActionCoverage()
    /// The types that the reducer has not accepted yet.
    private var untried: [ActionMaker<App.Action>.Kind] = []
    /// The features that states had.
    private var features: Set<String> = []
    /// The points at which a sequence found a feature first, or had a type accepted first: others go
    /// on from there.
    private var points: [Point] = []

    /// A sequence so far.
    private struct Point {
        var run: SequenceRun<App>
        var steps: [SequenceStep<App.Action>]
    }

    /// The steps of one sequence at most, and the steps from one look at the JSON to the next.
    private static var lengthLimit: Int { 200 }
    /// So many points are kept, after so many steps at most.
    private static var pointLimit: Int { 100 }
    private static var pointDepth: Int { 1_000 }
    private static var thoroughPeriod: Int { 4 }

    init(
        _ plan: SequenceRun<App>.Plan, _ kinds: [ActionMaker<App.Action>.Kind],
        by principals: [Principal], from start: Timestamp, seed: UInt64, trace: Logger?
    ) {
        self.plan = plan
        self.kinds = kinds
        self.principals = principals
        self.start = start
        self.seed = seed
        self.trace = trace
    }

    /// Takes so many steps in all, and stops at the first fault, whose sequence is then shrunk.
    mutating func run(stepCount: Int) -> Finding? {
        for kind in plan.maker.kinds { counts.made[kind.type] = 0 }
        untried = kinds
        var beginning = Point(run: SequenceRun(plan), steps: [])
        if let fault = beginning.run.begin() {
            return Finding(steps: [], fault: fault, foundCount: 0)
        }
        var chance = RepeatableGenerator(seed: seed)
        while counts.stepCount < stepCount {
            counts.sequenceCount += 1
            let isFresh = points.isEmpty || chance.number(below: 3) == 0
            // A later point is the further one, more often than not.
            let place = isFresh ? 0 : max(pick(&chance), pick(&chance))
            let point = isFresh ? beginning : points[place]
            let last = point.steps.last
            let walk = RandomWalk<App>(
                plan.maker, kinds, by: principals, from: last?.at ?? start,
                number: last?.number ?? 0, seed: chance.next())
            let length = 1 + chance.number(below: isFresh ? Self.lengthLimit : Self.lengthLimit / 4)
            trace?.info("Sequence \(counts.sequenceCount) of seed \(seed):")
            for step in point.steps { trace?.info("\(step.text(plan.maker))") }
            if let finding = take(min(length, stepCount - counts.stepCount), of: walk, from: point)
            {
                return shrunk(finding)
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
            if index % Self.thoroughPeriod == 0, let words = try? StateWords(of: point.run.json) {
                walk.words = words
                keep(point, if: !words.features.isSubset(of: features))
                features.formUnion(words.features)
            }
            let issueCount = plan.issues.now
            let next = walk.next(after: point.run.works, untried: untried)
            if let fault = plan.issues.fault(since: issueCount) {
                return Finding(steps: point.steps, fault: fault, foundCount: point.steps.count)
            }
            guard let (step, type) = next else { continue }
            trace?.info("\(step.text(plan.maker))")
            point.steps.append(step)
            let isThorough = (index + 1) % Self.thoroughPeriod == 0 || index == length - 1
            if let fault = point.run.take(step, isThorough: isThorough) {
                return Finding(steps: point.steps, fault: fault, foundCount: point.steps.count)
            }
            count(step, type, at: point)
        }
        return nil
    }

    private mutating func count(
        _ step: SequenceStep<App.Action>, _ type: String?, at point: Point
    ) {
        let type = type ?? (try? plan.maker.type(of: step.action)) ?? ""
        counts.add(type, isAccepted: point.run.isAccepted)
        guard point.run.isAccepted, let place = untried.firstIndex(where: { $0.type == type })
        else {
            return
        }
        untried.remove(at: place)
        keep(point, if: true)
    }

    /// Keeps a point, in place of an older one where there are many.
    private mutating func keep(_ point: Point, if isNew: Bool) {
        guard isNew, point.steps.count < Self.pointDepth else { return }
        if points.count < Self.pointLimit {
            points.append(point)
        } else {
            points[counts.stepCount % Self.pointLimit] = point
        }
    }

    // MARK: Shrinking

    private func shrunk(_ finding: Finding) -> Finding {
        // A closure that remembers may not fail again; nor do steps before an answer that is made up.
        guard failure(of: finding.steps) != nil else { return finding }
        var shrinker = SequenceShrinker(
            finding.steps, plan.maker, by: principals, from: start
        ) { steps in
            guard let (index, fault) = failure(of: steps), fault.kind == finding.fault.kind else {
                return nil
            }
            return index
        }
        shrinker.shrink()
        guard let (_, fault) = failure(of: shrinker.steps) else { return finding }
        return Finding(steps: shrinker.steps, fault: fault, foundCount: finding.foundCount)
    }

    /// The first fault of a sequence, and the place of the step that comes to it.
    private func failure(
        of steps: [SequenceStep<App.Action>]
    ) -> (index: Int, fault: SequenceFault)? {
        var run = SequenceRun<App>(plan)
        for (index, step) in steps.enumerated() {
            trace?.info("Shrinking, \(step.text(plan.maker))")
            if let fault = run.take(step, isThorough: true) { return (index, fault) }
        }
        return nil
    }
}
