import Redux

/// The progress of a test through the steps of its store: the state that the test knows, and the
/// steps and diagnostics that it has not received yet.
///
/// The value decides, and calls no closure of a test: a closure may read the store that has the
/// value. Its methods return the failures that they find, in words.
struct TestProgress<State: Sendable & Equatable, Action: Sendable> {
    /// A step that the test has taken, and whose change it states.
    struct Step: Equatable {
        let name: String
        /// The state that the test changes: the one before the step, or the one after it in a test
        /// that is not exhaustive.
        let start: State
        let end: State

        /// Compares the end of the step with what the test made of its start.
        func difference(from expected: State) -> String? {
            guard expected != end else { return nil }
            return "The state after \(name) is not the expected one (expected → actual):"
                + list(StateDiff.lines(expected, end))
        }
    }

    /// The step that the test receives, or the failure.
    enum Reception: Equatable {
        case step(Step)
        case failure(String)
    }

    /// The test has to state every change, and to receive every step and diagnostic.
    var isExhaustive: Bool
    /// The state after the last step that the test has sent, received or skipped.
    private(set) var state: State
    private var steps: [Transition<State, Action>] = []
    private var diagnostics: [StoreDiagnostic] = []

    init(state: State, isExhaustive: Bool) {
        self.state = state
        self.isExhaustive = isExhaustive
    }

    /// True while a step waits to be received.
    var hasSteps: Bool { !steps.isEmpty }

    /// Enters steps and diagnostics behind those that wait to be received.
    mutating func enter(
        _ steps: [Transition<State, Action>], _ diagnostics: [StoreDiagnostic] = []
    ) {
        let all = self.steps.suffix(1) + steps
        precondition(
            zip(all, all.dropFirst()).allSatisfy { $0.version < $1.version },
            "A store's steps come in the order of their versions.")
        self.steps += steps
        self.diagnostics += diagnostics
    }

    // MARK: Sending

    /// Ends what came before an event. Whatever waits to be received is skipped; an exhaustive test
    /// fails by it.
    mutating func close(before event: String) -> [String] {
        let names = steps.map { Self.describe($0.action) }
        let told = diagnostics.map(String.init(describing:))
        skipAll()
        guard isExhaustive else { return [] }
        var failures: [String] = []
        if !names.isEmpty {
            failures.append("Before \(event), this was to be received:" + list(names))
        }
        if !told.isEmpty {
            failures.append(
                "Before \(event), the store told what the test did not expect:" + list(told))
        }
        return failures
    }

    /// Takes the steps that an action of the test became, up to its last version, as one.
    ///
    /// - Parameter version: nil where the action became no entry.
    mutating func take(upTo version: UInt64?, after name: String) -> Step {
        let count = steps.count { step in version.map { step.version <= $0 } ?? false }
        let end = count > 0 ? steps[count - 1].new : state
        steps.removeFirst(count)
        return proceed(to: end, after: name)
    }

    // MARK: Receiving

    /// The place of the first step that is as wanted.
    func firstIndex(where isWanted: (Action) -> Bool) -> Int? {
        steps.firstIndex { isWanted($0.action) }
    }

    /// Takes the step at a place; a test that is not exhaustive skips the steps before it.
    ///
    /// - Parameters:
    ///   - name: the step that the test expects, in words.
    ///   - index: nil where no step is as wanted.
    ///   - difference: the lines that tell another action from the expected one.
    mutating func receive(
        _ name: String, at index: Int?, difference: (Action) -> [String]
    ) -> Reception {
        precondition(hasSteps, "A step is received where one waits.")
        if isExhaustive, index != 0 {
            let first = steps.removeFirst()
            state = first.new
            return .failure(
                "Expected to receive \(name), and received \(Self.describe(first.action))"
                    + list(difference(first.action)))
        }
        guard let index else {
            let others = list(steps.map { Self.describe($0.action) })
            return .failure("Expected to receive \(name), and received only:\(others)")
        }
        precondition(index < steps.count, "The step is one of those that wait.")
        let step = steps[index]
        if index > 0 { state = steps[index - 1].new }
        steps.removeFirst(index + 1)
        return .step(proceed(to: step.new, after: Self.describe(step.action)))
    }

    /// Takes a diagnostic, and returns nil; without one like it, takes all others and names them.
    mutating func receive(_ diagnostic: StoreDiagnostic) -> String? {
        if let index = diagnostics.firstIndex(of: diagnostic) {
            diagnostics.remove(at: index)
            return nil
        }
        let others = diagnostics.map(String.init(describing:))
        diagnostics = []
        return "Expected to be told of \(diagnostic), and was "
            + (others.isEmpty ? "told nothing." : "told:" + list(others))
    }

    /// Skips everything that waits to be received.
    mutating func skipAll() {
        state = steps.last?.new ?? state
        steps = []
        diagnostics = []
    }

    /// Goes on with the state as it was kept, where the test knows the state that it was kept of.
    mutating func restart(from state: State, as kept: State) {
        if self.state == state { self.state = kept }
    }

    private mutating func proceed(to end: State, after name: String) -> Step {
        let step = Step(name: name, start: isExhaustive ? state : end, end: end)
        state = end
        return step
    }

    /// The text of an action, cut where it is long.
    static func describe(_ action: Action) -> String {
        let text = String(describing: action)
        return text.count > 300 ? text.prefix(300) + "…" : text
    }
}
