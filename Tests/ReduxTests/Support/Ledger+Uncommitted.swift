@testable import Redux

extension Ledger {
    /// The entries that are decided and not yet committed, in their order.
    var uncommitted: [Entry] { pending.filter { !$0.actions.isEmpty }.flatMap(\.entries) }
    var uncommittedActions: [Action] { pending.flatMap(\.actions) }
}
