import Redux
import Sockets

/// The reports of a test store's effects, and its steps and diagnostics, until the store takes them:
/// effects may report from any thread.
final class TestRecord<State: Sendable, Action: Sendable>: Sendable {
    private struct Contents {
        var deliveries: [StoreDelivery<Action>] = []
        var steps: [Transition<State, Action>] = []
        var diagnostics: [StoreDiagnostic] = []
    }

    private let contents = Lock(Contents())

    func add(_ delivery: StoreDelivery<Action>) {
        contents.withLock { $0.deliveries.append(delivery) }
    }

    func add(_ step: Transition<State, Action>) {
        contents.withLock { $0.steps.append(step) }
    }

    /// Adds a diagnostic, unless a step tells of the same.
    func add(_ diagnostic: StoreDiagnostic) {
        if case .work(.problemReported) = diagnostic { return }
        contents.withLock { $0.diagnostics.append(diagnostic) }
    }

    /// Takes the report that has waited longest.
    func nextDelivery() -> StoreDelivery<Action>? {
        contents.withLock { $0.deliveries.isEmpty ? nil : $0.deliveries.removeFirst() }
    }

    /// Takes all steps and diagnostics, each in their order.
    func takeEntries() -> (steps: [Transition<State, Action>], diagnostics: [StoreDiagnostic]) {
        contents.withLock { contents in
            defer { (contents.steps, contents.diagnostics) = ([], []) }
            return (contents.steps, contents.diagnostics)
        }
    }
}
