import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// Puts the epoch of the articles in the place of a session's own, which is random.
func shown(_ answer: TestAnswer, of session: String, on server: TestServer) throws -> String {
    let token = try #require(try server.send("GET", session).json()["token"]?.string)
    let epoch = String(token.prefix { $0 != "-" })
    return answer.body.replacing(epoch, with: "k3f9x2")
}

@Suite struct `A session` {
    private let home = "/list/sessions/home"

    @Test func `is made, described and ended`() async throws {
        try await servingShoppingList { server in
            let made = try server.send("PUT", home)
            #expect(made.status == 201)
            #expect(made.fields["location"] == "/list/sessions/home")
            #expect(try server.send("PUT", home).status == 200)
            #expect(
                try server.send("PUT", home, fields: ["If-None-Match": "*"]).status == 412)

            let unguessable = try server.send("POST", "/list/sessions")
            #expect(unguessable.status == 201)
            #expect(try unguessable.json()["id"]?.string?.count == 32)

            #expect(try server.send("DELETE", home).status == 204)
            #expect(try server.send("GET", "\(home)/state").status == 410)
            #expect(try server.send("PUT", home).status == 410)
        }
    }

    @Test func `that nobody has made is not found`() async throws {
        try await servingShoppingList { server in
            let answer = try server.send("GET", "\(home)/state")
            #expect(answer.status == 404)
            #expect(try answer.json()["type"]?.string == "/problems/session-not-found")
        }
    }

    @Test func `is described`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.send("GET", home)
            #expect(answer.body.hasPrefix(#"{"id":"home","token":""#))
            #expect(answer.body.contains(#""watchers":0,"#))
            #expect(answer.body.contains(#""inFlight":0,"stateBytes":82,"work":[],"effects":[],"#))
            #expect(answer.body.contains(#""journal":"memory","#))
            #expect(answer.body.contains(#""you":{"id":null,"#))
            #expect(answer.body.contains(#""sees":"state","schema":1,"#))
        }
    }

    @Test func `has one token for everything`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.post(
                home, #"{"type":"search/edited","payload":{"text":"x"}}"#)
            let state = try server.send("GET", "\(home)/state")
            let events = try server.events(home)
            #expect(try answer.json()["token"]?.string == answer.etag)
            #expect(state.etag == answer.etag)
            #expect(try events.next()?.id == answer.etag)
        }
    }
}
