import Redux

/// Looks for the shortest sequence, and the simplest actions in it, that still come to the same
/// fault (delta debugging).
struct SequenceShrinker<Action: ActionGroup> {
    /// The shortest sequence so far. Its last step is the one that fails.
    private(set) var steps: [SequenceStep<Action>]
    private let maker: ActionMaker<Action>
    private let principals: [Principal]
    /// The time at which sequences begin.
    private let start: Timestamp
    /// The place of the step at which a sequence comes to the fault; nil where it does not.
    private let failure: ([SequenceStep<Action>]) -> Int?
    /// So many sequences are tried.
    private var triesLeft = 5_000
    /// The number of changes that were made to the sequence.
    private var changeCount = 0

    private enum Trial { case failed, passed }

    init(
        _ steps: [SequenceStep<Action>], _ maker: ActionMaker<Action>, by principals: [Principal],
        from start: Timestamp, failure: @escaping ([SequenceStep<Action>]) -> Int?
    ) {
        self.steps = steps
        self.maker = maker
        self.principals = principals
        self.start = start
        self.failure = failure
    }

    /// Shrinks the sequence until nothing can be left out or made simpler.
    mutating func shrink() {
        var count = -1
        while changeCount != count, triesLeft > 0 {
            count = changeCount
            removeChunks()
            simplifySteps()
            simplifyTexts()
        }
        renumber()
    }

    /// Goes on with a sequence if it comes to the fault, too.
    private mutating func attempt(_ candidate: [SequenceStep<Action>]) -> Trial {
        guard triesLeft > 0 else { return .passed }
        triesLeft -= 1
        guard let index = failure(candidate) else { return .passed }
        steps = Array(candidate[...index])
        changeCount += 1
        return .failed
    }

    /// Leaves out steps: half of them, then quarters, down to single ones.
    private mutating func removeChunks() {
        var size = max(steps.count / 2, 1)
        while size > 0 {
            var start = 0
            while start < steps.count {
                var candidate = steps
                candidate.removeSubrange(start..<min(start + size, steps.count))
                if attempt(candidate) == .passed { start += size }
            }
            size /= 2
        }
    }

    /// Makes each step simpler as often as that can be done.
    private mutating func simplifySteps() {
        var index = 0
        while index < steps.count {
            if simplify(at: index) == .passed { index += 1 }
        }
    }

    private mutating func simplify(at index: Int) -> Trial {
        var candidates: [SequenceStep<Action>] = []
        let step = steps[index]
        let before = index > 0 ? steps[index - 1].at : start
        if before < step.at {
            candidates.append(step)
            candidates[0].at = before
        }
        if let by = step.by, let place = principals.firstIndex(of: by) {
            candidates += principals[..<place].map { principal in
                var other = step
                other.by = principal
                return other
            }
        }
        for payload in maker.payload(of: step.action)?.simpler ?? [] {
            guard let action = maker.action(like: step.action, with: payload),
                action != step.action
            else { continue }
            var other = step
            other.action = action
            candidates.append(other)
        }
        for candidate in candidates {
            var sequence = steps
            sequence[index] = candidate
            if attempt(sequence) == .failed { return .failed }
        }
        return .passed
    }

    /// Makes each text simpler wherever it stands: an id, or a name that stands twice.
    private mutating func simplifyTexts() {
        let payloads = steps.compactMap { maker.payload(of: $0.action) }
        let texts = Set(payloads.flatMap(\.texts)).subtracting([Secret<String>.redacted])
        for text in texts.sorted() where text.count > 1 {
            for simple in ["a", "b"] {
                let candidate = replacingTexts { $0 == text ? simple : $0 }
                if attempt(candidate) == .failed { break }
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
    private func replacingTexts(_ replacement: (String) -> String) -> [SequenceStep<Action>] {
        steps.map { step in
            var other = step
            if let payload = maker.payload(of: step.action) {
                let replaced = payload.replacingTexts(replacement)
                guard replaced.json != payload.json else { return step }
                other.action = maker.action(like: step.action, with: replaced) ?? step.action
            }
            return other
        }
    }
}
