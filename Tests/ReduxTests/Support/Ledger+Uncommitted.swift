@testable import Redux

extension Ledger {
    /// The entries that are decided and not yet committed, in their order.
    var uncommitted: [StagedEntry<Action>] { pending.list.compactMap { StagedEntry($0) } }
}
