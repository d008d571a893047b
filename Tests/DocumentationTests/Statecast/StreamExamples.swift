import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

@Suite struct `Following a session` {
    private let home = "/list/sessions/home"
    private let milk = #"{"type":"list/added","payload":{"name":"Milk"}}"#

    @Test func `by a stream begins with the state`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let events = try server.events(home, query: "?view=to-buy")
            #expect(try events.next()?.data == "[]")
            let answer = try server.post(home, milk)
            let event = try #require(try events.next())
            #expect(event.data == #"["Milk"]"#)
            let token = try #require(answer.etag)
            #expect(event.id?.hasPrefix(token + ".") == true)
        }
    }

    @Test func `by a stream goes on where it was`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let first = try server.events(home, query: "?view=to-buy")
            let seen = try #require(try first.next()?.id)
            let events = try server.events(
                home, query: "?view=to-buy", fields: ["Last-Event-ID": seen])
            try server.post(home, #"{"type":"list/added","payload":{"name":"Bread"}}"#)
            #expect(try events.next()?.data == #"["Bread"]"#)
        }
    }

    @Test func `by a stream of patches brings what has changed`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let patches = try server.events(home, query: "?patch=json-patch")
            #expect(try patches.next()?.name == "snapshot")
            try server.post(home, milk)
            let change = try #require(try patches.next())
            #expect(change.name == "patch")
            #expect(change.data.contains(#""op":"add","path":"/items/0""#))
        }
    }

    @Test func `by a stream that is sent so much at most`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let calm = try server.events(home, query: "?throttle=60000")
            #expect(try calm.next() != nil)
            for _ in 0..<2 { try server.post(home, milk) }
            await server.advance(by: .seconds(70))
            let newest = try calm.next { $0.name == "message" }
            #expect(newest?.data.ranges(of: "Milk").count == 2)
        }
    }

    @Test func `by long-poll is answered by a patch where that is asked for`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let tag = try #require(try server.send("GET", "\(home)/state").fields["etag"])
            let asked = ["Accept": "application/json-patch+json", "If-None-Match": tag]
            #expect(try server.send("GET", "\(home)/state", fields: asked).status == 304)
            try server.post(home, milk)
            let answer = try server.send("GET", "\(home)/state?wait=25", fields: asked)
            #expect(answer.fields["content-type"] == "application/json-patch+json")
        }
    }

    @Test func `by long-poll holds the answer`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let tag = try #require(try server.send("GET", "\(home)/state").fields["etag"])
            let held = try server.open(
                "GET", "\(home)/state?wait=25", fields: ["If-None-Match": tag])
            try server.post(home, milk)
            let answer = try held.answer()
            #expect(answer.status == 200)
            #expect(answer.body.contains(#""name":"Milk""#))
        }
    }

    @Test func `by polling costs little where nothing changed`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let tag = try #require(try server.send("GET", "\(home)/state").fields["etag"])
            let again = try server.send("GET", "\(home)/state", fields: ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
        }
    }

    @Test func `by lines, one object a line`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let lines = try server.open(
                "GET", "\(home)/events?view=to-buy", fields: ["Accept": "application/x-ndjson"])
            try server.post(home, milk)
            #expect(try server.send("DELETE", home).status == 204)
            let last = try #require(try lines.answer().body.split(separator: "\n").last)
            #expect(last.hasPrefix(#"{"event":"end","token":""#))
        }
    }

    @Test func `of a part tells when it leaves`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let item = try server.events(home, query: "?select=/items/0/name")
            #expect(try item.next()?.name == "out-of-scope")
            try server.post(home, milk)
            #expect(try item.next()?.data == #""Milk""#)
        }
    }
}

@Suite struct `Selections and views` {
    private let home = "/list/sessions/home"

    @Test func `show a part`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            try server.post(home, #"{"type":"list/added","payload":{"name":"Milk"}}"#)
            let name = try server.send("GET", "\(home)/state?select=/items/0/name")
            #expect(name.body == #""Milk""#)
            let toBuy = try server.send("GET", "\(home)/state?view=to-buy")
            #expect(toBuy.body == #"["Milk"]"#)

            let absent = try server.send("GET", "\(home)/state?select=/items/7")
            #expect(absent.status == 404)
            #expect(try absent.json()["type"]?.string == "/problems/out-of-scope")
            let unknown = try server.send("GET", "\(home)/state?view=nothing")
            #expect(unknown.status == 400)
        }
    }

    @Test func `take arguments from the query`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            try server.post(home, #"{"type":"list/added","payload":{"name":"Milk"}}"#)
            let id = try #require(
                try server.send("GET", "\(home)/state?select=/items/0/id").json().string)
            let item = try server.send("GET", "\(home)/state?view=item&id=\(id)")
            #expect(item.body == #"{"id":"\#(id)","name":"Milk","isBought":false}"#)
            #expect(try server.send("GET", "\(home)/state?view=item&id=x").status == 404)
        }
    }
}

@Suite struct `Exactly once` {
    private let home = "/list/sessions/home"
    private let milk = #"{"type":"list/added","payload":{"name":"Milk"}}"#

    @Test func `a repeat with the same key is answered and not taken`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let key = ["Idempotency-Key": "\"8e03978e\""]
            let first = try server.post(home, milk, fields: key)
            let second = try server.post(home, milk, fields: key)
            #expect(second.body == first.body)
            #expect(second.fields["idempotency-replayed"] == "true")
            #expect(try server.send("GET", "\(home)/state?view=to-buy").body == #"["Milk"]"#)

            let other = try server.post(home, #"{"type":"ordered"}"#, fields: key)
            #expect(other.status == 422)
            #expect(try other.json()["type"]?.string == "/problems/idempotency-key-reused")
        }
    }

    @Test func `an action can be for one version only`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let seen = try #require(try server.send("GET", "\(home)/state").fields["etag"])
            let first = try server.post(home, milk, fields: ["If-Match": seen])
            #expect(first.status == 200)
            let second = try server.post(home, milk, fields: ["If-Match": seen])
            #expect(second.status == 412)
            #expect(second.etag == first.etag)
        }
    }

    @Test func `the state comes with the answer where it is preferred`() async throws {
        try await servingShoppingList { server in
            try server.create(home)
            let answer = try server.post(
                home, milk, fields: ["Prefer": "return=representation"])
            #expect(answer.body.contains(#""name":"Milk""#))
            #expect(answer.fields["preference-applied"] == "return=representation")
        }
    }
}

@Suite struct `What outlives a session` {
    private let home = "/list/sessions/home"
    private let ada = Members.ada
    private let scanned = #"{"type":"card/scanned","payload":"4711-0815"}"#

    @Test func `is there again in the next one`() async throws {
        let cards = People<Secret<String>>()
        try await servingShoppingList(Members.configuration, cards: cards) { server in
            try await cards.keep(Secret("4711-0815"), of: "ada")
            try server.create(home, fields: ada)
            try server.post(home, #"{"type":"card/asked"}"#, query: "?settle=10", fields: ada)
            let card = try server.send("GET", "\(home)/state?select=/member/card", fields: ada)
            #expect(card.body == #"{"status":"loaded","value":"<redacted>"}"#)
        }
    }

    @Test func `is kept when it changes and forgotten when it is gone`() async throws {
        let cards = People<Secret<String>>()
        try await servingShoppingList(Members.configuration, cards: cards) { server in
            try server.create(home, fields: ada)
            try server.post(home, scanned, query: "?settle=10", fields: ada)
            #expect(cards["ada"]?.details?.value == "4711-0815")
            try server.post(home, #"{"type":"card/putAway"}"#, query: "?settle=10", fields: ada)
            #expect(cards["ada"] == nil)
        }
    }
}
