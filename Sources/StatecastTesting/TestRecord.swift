import Redux
import Synchronization

/// What a test store's effects have reported and its steps have changed, until the test takes it.
final class TestRecord<State: Sendable, Action: Sendable>: Sendable {
    private struct Contents {
        var deliveries: [EffectDelivery<Action>] = []
        var steps: [Transition<State, Action>] = []
        var diagnostics: [StoreDiagnostic] = []
    }

    private let contents = Mutex(Contents())

    func add(_ delivery: EffectDelivery<Action>) {
        contents.withLock { $0.deliveries.append(delivery) }
    }

    func add(_ step: Transition<State, Action>) {
        contents.withLock { $0.steps.append(step) }
    }

    func add(_ diagnostic: StoreDiagnostic) {
        contents.withLock { $0.diagnostics.append(diagnostic) }
    }

    /// The report that has waited longest.
    func nextDelivery() -> EffectDelivery<Action>? {
        contents.withLock { $0.deliveries.isEmpty ? nil : $0.deliveries.removeFirst() }
    }

    /// Steps that the test has not received.
    var steps: [Transition<State, Action>] { contents.withLock { $0.steps } }

    /// Forgets the first so many steps; the state after the last of them.
    @discardableResult
    func takeSteps(_ count: Int) -> State? {
        contents.withLock { contents in
            defer { contents.steps.removeFirst(count) }
            return count > 0 ? contents.steps[count - 1].new : nil
        }
    }

    func takeDiagnostics() -> [StoreDiagnostic] {
        contents.withLock { contents in
            defer { contents.diagnostics = [] }
            return contents.diagnostics
        }
    }

    /// Forgets a diagnostic; false where there is none like it.
    func take(_ diagnostic: StoreDiagnostic) -> Bool {
        contents.withLock { contents in
            guard let index = contents.diagnostics.firstIndex(of: diagnostic) else { return false }
            contents.diagnostics.remove(at: index)
            return true
        }
    }
}
