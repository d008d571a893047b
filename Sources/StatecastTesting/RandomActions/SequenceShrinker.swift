import Redux
import Statecast

/// A sequence that comes to a fault with its last step.
struct SequenceFinding<Action: Sendable>: Sendable {
    var steps: [SequenceStep<Action>]
    var fault: SequenceFault
    /// The number of steps before it was shrunk.
    let foundCount: Int
}

/// Looks for the shortest sequence, and the simplest actions in it, that still come to the same
/// fault (delta debugging).
struct SequenceShrinker<App: Application> {
    /// The shortest sequence so far.
    private(set) var finding: SequenceFinding<App.Action>
    private let plan: SequencePlan<App>
    /// So many sequences are tried.
    private var triesLeft = 5_000
    /// The number of changes that were made to the sequence.
    private var changeCount = 0

    private var steps: [SequenceStep<App.Action>] { finding.steps }

    init(_ finding: SequenceFinding<App.Action>, _ plan: SequencePlan<App>) {
        self.finding = finding
        self.plan = plan
    }

    /// Shrinks the sequence until nothing can be left out or made simpler.
    mutating func shrink() {
        // A closure that remembers may not fail again; nor do steps before an answer that is made up.
        guard SequenceRun.failure(of: steps, plan) != nil else { return }
        var count = -1
        while changeCount != count, triesLeft > 0 {
            count = changeCount
            removeChunks()
            simplifySteps()
            simplifyTexts()
        }
        renumber()
    }

    /// Goes on with a sequence, and answers with true, if it comes to the fault, too.
    private mutating func attempt(_ candidate: [SequenceStep<App.Action>]) -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        guard let (index, fault) = SequenceRun.failure(of: candidate, plan),
            fault.kind == finding.fault.kind
        else { return false }
        (finding.steps, finding.fault) = (Array(candidate[...index]), fault)
        changeCount += 1
        return true
    }

    /// Leaves out steps: half of them, then quarters, down to single ones.
    private mutating func removeChunks() {
        var size = max(steps.count / 2, 1)
        while size > 0 {
            var start = 0
            while start < steps.count {
                var candidate = steps
                candidate.removeSubrange(start..<min(start + size, steps.count))
                if !attempt(candidate) { start += size }
            }
            size /= 2
        }
    }

    /// Makes each step simpler as often as that can be done.
    private mutating func simplifySteps() {
        var index = 0
        while index < steps.count {
            let isSimpler = simplerSteps(at: index).contains { step in
                var candidate = steps
                candidate[index] = step
                return attempt(candidate)
            }
            if !isSimpler { index += 1 }
        }
    }

    private func simplerSteps(at index: Int) -> [SequenceStep<App.Action>] {
        let step = steps[index]
        func changed(_ change: (inout SequenceStep<App.Action>) -> Void) -> SequenceStep<App.Action>
        {
            var step = step
            change(&step)
            return step
        }
        var candidates: [SequenceStep<App.Action>] = []
        let before = index > 0 ? steps[index - 1].at : plan.test.time
        if before < step.at { candidates.append(changed { $0.at = before }) }
        let place = step.by.flatMap { plan.test.principals.firstIndex(of: $0) } ?? 0
        candidates += plan.test.principals[..<place].map { principal in
            changed { $0.by = principal }
        }
        for payload in plan.maker.payload(of: step.action)?.simpler ?? [] {
            let action = plan.maker.action(like: step.action, with: payload)
            guard let action, action != step.action else { continue }
            candidates.append(changed { $0.action = action })
        }
        return candidates
    }

    /// Makes each text simpler wherever it stands: an id, or a name that stands twice.
    private mutating func simplifyTexts() {
        let texts = Set(steps.flatMap { plan.maker.payload(of: $0.action)?.texts ?? [] })
        for text in texts.sorted() where text.count > 1 && text != Secret<String>.redacted {
            _ = ["a", "b"].contains { simple in
                let candidate = replacingTexts { $0 == text ? simple : $0 }
                // The name of a case stays as it is: nothing else is an action.
                return candidate.map(\.action) != steps.map(\.action) && attempt(candidate)
            }
        }
    }

    /// Numbers the steps from 1, with the ids that are made of the numbers.
    private mutating func renumber() {
        var ids: [String: String] = [:]
        for (index, step) in steps.enumerated() { ids["id-\(step.number)"] = "id-\(index + 1)" }
        var candidate = replacingTexts { text in
            let end = text.firstIndex(of: ".") ?? text.endIndex
            return ids[String(text[..<end])].map { $0 + text[end...] } ?? text
        }
        for index in candidate.indices { candidate[index].number = UInt64(index + 1) }
        _ = attempt(candidate)
    }

    /// The steps with other texts in their payloads.
    private func replacingTexts(
        _ replacement: (String) -> String
    ) -> [SequenceStep<App.Action>] {
        steps.map { step in
            guard let payload = plan.maker.payload(of: step.action) else { return step }
            let replaced = payload.replacingTexts(replacement)
            guard replaced.json != payload.json else { return step }
            var other = step
            other.action = plan.maker.action(like: step.action, with: replaced) ?? step.action
            return other
        }
    }
}
