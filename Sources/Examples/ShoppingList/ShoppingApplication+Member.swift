import ShoppingListModel
import Statecast

extension ShoppingApplication {
    /// The member card outlives the session: read when its owner asks for it, kept when it is
    /// scanned, forgotten when it is put away.
    @WorkBuilder<ShoppingAction>
    func work(for member: ShoppingState.Member) -> [Work<ShoppingAction>] {
        if member.isCardMissing {
            Work("card", for: member.id, { cards[$0]?.details }) { .card(.found($0)) }
        } else if !member.isKept, member.card.problem == nil {
            Work("card", for: member, policy: .finishing.retrying(3)) { member in
                try await cards.keep(member.card.value, of: member.id)
            } then: {
                .card(.kept($0))
            }
        }
    }
}
