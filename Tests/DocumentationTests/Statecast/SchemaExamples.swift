import ShoppingListModel
import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList

@Suite struct `The schema of the shopping list` {
    private let application = ShoppingApplication(shop: .corner, cards: .init())

    @Test func `is served beside its sessions`() async throws {
        let served = Served("/list", application)
        try await TestServer.run(serving: { served }) { server in
            let answer = try server.send("GET", "/list/schema")
            #expect(answer.fields["content-type"] == "application/schema+json")
            #expect(answer.body.contains(#"{"enum":["list/added"]}"#))
        }
    }

    @Test func `is kept as types`() {
        WireFiles(of: application, in: "Wire").checkTypes()
    }

    @Test func `shows another type's JSON where a type says so`() throws {
        let types = try Server { Served("/shelf", Shelf()) }.types()
        #expect(types.contains("price: string;"))
    }
}

private struct Shelf: Application {
    struct State: StateValue { var cents = 5 }
    enum Action: ActionGroup { case dusted }

    let initialState = State()
    var views: Views<State> { Views(state: .all, View("price") { Price(cents: $0.cents) }) }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {}

    func work(in state: State) -> [Work<Action>] {}
}

struct Price: Encodable, WrittenAs {
    typealias WireForm = String
    let cents: Int
    func encode(to encoder: any Encoder) throws { try "\(cents) ct".encode(to: encoder) }
}
