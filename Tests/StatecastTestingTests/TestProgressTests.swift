import Redux
import Testing

@testable import StatecastTesting

@Suite struct `A test's progress` {
    typealias Progress = TestProgress<Int, String>

    /// The progress of a test at 0 with steps to 1, 2, 3 …, one for each action.
    private func progress(_ actions: String..., isExhaustive: Bool = true) -> Progress {
        var progress = Progress(state: 0, isExhaustive: isExhaustive)
        progress.enter(
            actions.enumerated().map { index, action in
                Transition(
                    old: index, new: index + 1, action: action, version: UInt64(index) + 1)
            })
        return progress
    }

    // MARK: Sending

    @Test(
        arguments: [
            // The last version of the action, the state after it, and what is left to receive.
            (nil, 0, 3), (0, 0, 3), (1, 1, 2), (2, 2, 1), (3, 3, 0), (9, 3, 0),
        ] as [(UInt64?, Int, Int)])
    func `takes the steps of an action as one, up to its version`(
        _ version: UInt64?, _ state: Int, _ rest: Int
    ) {
        var progress = progress("a", "b", "c")
        let step = progress.take(upTo: version, after: "a")
        #expect(step == .init(name: "a", start: 0, end: state))
        #expect(progress.state == state && progress.hasSteps == (rest > 0))
    }

    @Test(arguments: [(true, 0), (false, 2)])
    func `lets a test change the state before, or only look at the state after`(
        _ isExhaustive: Bool, _ start: Int
    ) {
        var progress = progress("a", "b", isExhaustive: isExhaustive)
        let step = progress.take(upTo: 2, after: "a")
        #expect(step.start == start && step.end == 2)
        #expect(step.difference(from: 2) == nil)
        #expect(step.difference(from: 1)?.contains("after a is not the expected one") == true)
    }

    // MARK: Receiving

    @Test(
        arguments: [
            // The action that is wanted, the step or nil, the state after it, and what is left.
            (true, "a", 1, 1, true), (true, "b", nil, 1, true), (true, "d", nil, 1, true),
            (false, "a", 1, 1, true), (false, "b", 2, 2, true), (false, "c", 3, 3, false),
            (false, "d", nil, 0, true),
        ] as [(Bool, String, Int?, Int, Bool)])
    func `receives the next step, or skips to the one that is wanted`(
        _ isExhaustive: Bool, _ wanted: String, _ end: Int?, _ state: Int, _ hasSteps: Bool
    ) {
        var progress = progress("a", "b", "c", isExhaustive: isExhaustive)
        let index = progress.firstIndex { $0 == wanted }
        switch progress.receive(wanted, at: index, difference: { ["not \($0)"] }) {
        case .step(let step): #expect(step.end == end && step.name == wanted)
        case .failure(let text):
            #expect(end == nil)
            #expect(
                text.contains(
                    isExhaustive ? "received a\n    not a" : "received only:\n    a\n    b"))
        }
        #expect(progress.state == state && progress.hasSteps == hasSteps)
    }

    @Test func `takes a diagnostic, or names all others`() {
        let failed = StoreDiagnostic.effectFailed(name: "load", error: "lost")
        let full = StoreDiagnostic.effectsExhausted(name: "load", limit: 1)
        var progress = progress()
        progress.enter([], [failed, full])
        #expect(progress.receive(full) == nil)
        #expect(progress.receive(full)?.contains("was told:\n    effectFailed") == true)
        #expect(progress.receive(failed)?.contains("was told nothing.") == true)
    }

    // MARK: Closing

    @Test func `skips what was not received, and fails an exhaustive test by it`() {
        for isExhaustive in [true, false] {
            var progress = progress("a", "b", isExhaustive: isExhaustive)
            progress.enter([], [.effectsExhausted(name: "load", limit: 1)])
            let failures = progress.close(before: "c is sent")
            #expect(failures.count == (isExhaustive ? 2 : 0))
            #expect(failures.allSatisfy { $0.hasPrefix("Before c is sent, ") })
            #expect(progress.state == 2 && !progress.hasSteps)
            #expect(progress.close(before: "the test ends").isEmpty)
        }
    }

    @Test func `cuts the text of a long action`() {
        #expect(Progress.describe(String(repeating: "a", count: 301)).count == 301)
        #expect(Progress.describe(String(repeating: "a", count: 300)).count == 300)
    }
}
