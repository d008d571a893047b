import Statecast
import Redux
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `The shopping list under test by others` {
    private let application = ShoppingApplication(shop: .corner, cards: .init())

    @Test func `no sequence of actions breaks the list`() {
        let household = [Principal("ada"), Principal("bob")]
        RandomActions(application, as: household).check { list in
            #expect(Set(list.items.map(\.id)).count == list.items.count)
            #expect(list.items.count <= 500)
        }
    }

    @Test func `nothing that was bought has to be bought again`() {
        RandomActions(application, as: [Principal("ada")]).check { before, _, after in
            let bought = Set(before.items.filter(\.isBought).map(\.id))
            #expect(after.items.allSatisfy { $0.isBought || !bought.contains($0.id) })
        }
    }

    @Test func `every type of actions is accepted somewhere`() {
        let untried = RandomActions(application, as: [Principal("ada")]).check { _ in }
        #expect(untried == [])
    }

    @Test func `the wire form of the list stays`() {
        let milk = ShoppingState(items: [.init(id: "k3f9x2-1", name: "Milk")])
        WireFiles(of: application, in: "Wire").check(states: ["milk": milk])
    }
}
