@testable import Redux

extension Ledger {
    /// The entries that are decided and not yet committed, in their order.
    var uncommitted: [Entry<Action>] { pending.list.map(\.entry).filter { $0.action != nil } }
}
