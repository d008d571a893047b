import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// A household that knows a word.
private struct Household {
    struct Wish: Decodable { let name, word: String }

    let people = People<Secret<String>>(cookie: "household")

    @ServerBuilder var parts: [ServerPart] {
        people.parts
        people.signIn(at: "/sign-in") { request in
            let wish: Wish = try request.decode()
            guard wish.word == "sesame" else {
                throw Rejection("wrong-word", "Ask at home.", kind: .forbidden, field: "word")
            }
            return .init("member:\(wish.name)", name: wish.name, roles: ["act", "observe"])
        }
        people.signOut(at: "/sign-out")
        people.me(at: "/me")
        Served(
            "/list", ShoppingApplication(shop: .corner, cards: people), access: people.access)
        Served(
            "/rooms", Room(),
            access: { $0.method == .put ? .forbidden : people.access(to: $0) })
    }
}

@Suite struct `People who sign in` {
    @Test func `are the principals of their actions`() async throws {
        let household = Household()
        try await TestServer.run(serving: { household.parts }) { server in
            let type = ["Content-Type": "application/json"]
            let wrong = try server.send(
                "POST", "/sign-in", fields: type, body: #"{"name":"Ada","word":"seasame"}"#)
            #expect(wrong.status == 403 && wrong.problem == "wrong-word")
            let signedIn = try server.send(
                "POST", "/sign-in", fields: type, body: #"{"name":"Ada","word":"sesame"}"#)
            #expect(signedIn.body == #"{"id":"member:Ada","name":"Ada"}"#)
            let cookie = signedIn.fields["set-cookie"]?.prefix { $0 != ";" } ?? ""
            let ada = ["Cookie": String(cookie)]
            let home = "/list/sessions/home"
            #expect(try server.create(home).status == 401)
            #expect(try server.create(home, fields: ada).status == 201)
            #expect(try server.create("/rooms/sessions/7", fields: ada).status == 403)
            #expect(try server.send("POST", "/rooms/sessions", fields: ada).status == 201)
            let scanned = #"{"type":"card/scanned","payload":"4711-0815"}"#
            try server.post(home, scanned, query: "?settle=10", fields: ada)
            #expect(household.people["member:Ada"]?.details?.value == "4711-0815")
            #expect(household.people.all.keys.sorted() == ["member:Ada"])
            try await household.people.erase("member:Ada")
            #expect(try server.send("GET", "/me", fields: ada).status == 401)
        }
    }
}
