import ShoppingListModel
import Statecast

extension ShoppingApplication {
    /// The member card outlives the session: read when its owner asks for it, kept when it is
    /// scanned, forgotten when it is put away.
    @WorkBuilder<ShoppingAction>
    func work(for member: ShoppingState.Member) -> [Work<ShoppingAction>] {
        if member.isCardMissing {
            Work("card", for: member.id, cards.load) { .card(.found($0)) }
        } else if member.card.problem == nil {
            Work.keep(["card", member.id], member.card.value, in: cards, under: member.id) {
                .card(.notKept($0))
            }
        }
    }
}

extension SavedValues<Secret<String>> {
    /// Cards in a directory, a file each, which only this process's user may read. A secret is
    /// written by hand, from its `value`: no encoder shows it.
    static func cards(in directory: String) throws -> SavedValues {
        try files(
            in: directory,
            encode: { Array($0.value.utf8) },
            decode: { Secret(String(decoding: $0, as: UTF8.self)) })
    }
}
