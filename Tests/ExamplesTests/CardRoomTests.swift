import Cards
@testable import CardsModel
import Redux
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite struct `The card room` {
    @Test func `shows a player one hand alone, by whatever way they ask`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            let (alice, bob) = (try guests.signIn("Alice"), try guests.signIn("Bob"))
            let table = try guests.openTable(seats: 2, as: alice)
            try server.dispatch(table, "sat", #"{"name":"Alice"}"#, fields: alice)
            let sat = try server.dispatch(
                table, "sat", #"{"name":"Bob"}"#,
                fields: bob.merging(["Prefer": "return=representation"]) { $1 })
            let dealt = try await guests.state(of: table)
            let (first, second) = (dealt.seats[0].id, dealt.seats[1].id)
            #expect(sat.body.contains(try CardGuests.json(dealt, by: second)))

            // That Bob watches is to be seen from now on.
            let events = try server.events(table, fields: bob)
            let event = try events.next { $0.data.contains(#""present":true"#) }
            let state = try await guests.state(of: table)
            let seen = try CardGuests.json(state, by: second)
            #expect(event?.data == seen)
            #expect(try server.send("GET", table + "/state", fields: bob).body == seen)
            #expect(
                try server.send("GET", table + "/state", fields: alice).body
                    == CardGuests.json(state, by: first))
            let head = try server.send("HEAD", table + "/state", fields: bob)
            #expect(head.fields["content-length"] == "\(seen.utf8.count)")
            #expect(head.etag != (try server.send("HEAD", table + "/state", fields: alice).etag))
            let hand = try server.send("GET", table + "/state?select=/hand", fields: bob)
            #expect(try hand.decoded(as: [Card].self) == SeenTable(state, by: second).hand)
            for path in ["/game", "/game/hands", "/hands", "/players/0/hand", "/game/drawPile"] {
                let answer = try server.send("GET", table + "/state?select=\(path)", fields: bob)
                #expect(answer.status == 404 && !answer.body.contains("["), "\(path)")
            }
            let spectator = try server.send("GET", table + "/state")
            #expect(spectator.body == (try CardGuests.json(state, by: nil)))
            for path in ["/log", "/recording", "?view=hands", "/state?view=hands"] {
                let answer = try server.send("GET", table + path, fields: bob)
                #expect(path == "?view=hands" || answer.status >= 400, "\(path)")
                #expect(!answer.body.contains("drawPile") && !answer.body.contains("alarm"))
            }
            #expect(!(try server.send("GET", table, fields: bob).body.contains("\"work\"")))
        }
    }

    @Test func `says the same of each card that a player does not hold`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            let (alice, bob) = (try guests.signIn("Alice"), try guests.signIn("Bob"))
            let table = try guests.openTable(seats: 2, as: alice)
            try server.dispatch(table, "sat", #"{"name":"Alice"}"#, fields: alice)
            try server.dispatch(table, "sat", #"{"name":"Bob"}"#, fields: bob)
            let state = try await guests.state(of: table)
            let own = state.game?.hands[state.seats[0].id] ?? []
            let answers = try Card.deck.filter { !own.contains($0) }.map { card in
                try server.dispatch(
                    table, "played", "{\"card\":\(card.rawValue)}", fields: alice)
            }
            #expect(answers.count == 47 && Set(answers.map(\.body)).count == 1)
            #expect(answers.allSatisfy { $0.status == 422 && $0.problem == "not-your-card" })
            let none = try server.dispatch(table, "played", #"{"card":52}"#, fields: alice)
            #expect(none.status == 422)
            let fact = try server.dispatch(
                table, "clock/ranOut", #"{"turn":{"player":"a","ends":{"milliseconds":0}}}"#,
                fields: alice)
            #expect(fact.problem == "fact-not-allowed")
        }
    }

    @Test func `lets spectators look and nobody else in`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            let alice = try guests.signIn("Alice")
            let table = try guests.openTable(seats: 2, as: alice)
            #expect(try server.send("GET", table + "/state").status == 200)
            let sat = try server.dispatch(table, "sat", #"{"name":"Eve"}"#)
            #expect(sat.status == 403 && sat.problem == "forbidden")
            let forged = ["Cookie": "cards=0123456789abcdef0123456789abcdef"]
            for path in [table + "/state", table + "/events", table, "/cards/me"] {
                #expect(try server.send("GET", path, fields: forged).status == 401, "\(path)")
            }
            #expect(try server.dispatch(table, "left", fields: forged).status == 401)
            #expect(try server.send("DELETE", table, fields: alice).status == 403)
            let own = "/cards/tables/sessions/own"
            #expect(try server.create(own, fields: alice).status == 403)
            let input = #"{"name":"F","seats":2,"turnSeconds":30}"#
            #expect(try server.create(own, input: input, fields: alice).status == 403)
            for lobby in ["other", "lobby"] {
                let made = try server.create("/cards/lobby/sessions/\(lobby)", fields: alice)
                #expect(made.status == 403)
            }
            let lobby = try server.send("GET", "/cards/lobby/sessions/lobby/state")
            #expect(lobby.status == 200, "the server has made it")
            #expect(try server.create(table).status == 200)
        }
    }

    @Test func `has its lobby show what goes on at a table`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            let (alice, bob) = (try guests.signIn("Alice"), try guests.signIn("Bob"))
            let table = try guests.openTable(seats: 2, as: alice)
            try server.dispatch(table, "sat", #"{"name":"Alice"}"#, fields: alice)
            try guests.waitForLobby { $0.tables[0].players == ["Alice"] }
            try server.dispatch(table, "sat", #"{"name":"Bob"}"#, fields: bob)
            try guests.waitForLobby { $0.tables[0].phase == .playing }
        }
    }
}
