import Redux
import StateCoding
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `A secret` {
    @Test func `is used by its value and shown nowhere`() throws {
        var state = ShoppingState()
        state.member = .init(id: "ada", card: .loaded(Secret("4711-0815")))

        #expect(state.member?.card.value?.value == "4711-0815")
        #expect(!"\(state)".contains("4711"))

        var json: [UInt8] = []
        try StateEncoder().encode(state, into: &json)
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains(#""card":{"status":"loaded","value":"<redacted>"}"#))

        var dumped = ""
        dump(state, to: &dumped)
        #expect(!dumped.contains("4711"))
    }

    @Test func `comes in with an action and is not logged`() {
        let log = Lines()
        let store = makeStore(middleware: [.logger(write: { log.append($0) })])
        store.dispatch(.card(.scanned(Secret("4711-0815"))), as: Principal("ada"))
        #expect(store.state.member?.card == .loaded(Secret("4711-0815")))
        #expect(log.all.count == 1)
        #expect(!log.all.joined().contains("4711"))
    }

    @Test func `that is decoded from an encoded state holds nothing`() throws {
        let json = Array(#""<redacted>""#.utf8)
        let card = try StateDecoder().decode(Secret<String>.self, from: json.span)
        #expect(card.value == "<redacted>")
    }
}
