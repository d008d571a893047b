import FoundationEssentials
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `Effects` {
    private func load(_ count: Int) -> String {
        "{\"type\":\"loadRequested\",\"payload\":{\"count\":\(count)}}"
    }

    @Test func `that an action started are waited for by settle, theirs too`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.post(load(3), query: "?settle=20")
            #expect(try answer.json()["settled"]?.bool == true)
            #expect(try answer.json()["version"]?.integer == 4)
            #expect(try demo.get("/state?select=/loads").body == "3")
        }
    }

    @Test func `that take longer leave settle with false`() async throws {
        let gate = Gate()
        try await Demo.notes(NotesApplication(gate: gate)) { demo in
            let answer = try demo.post(load(1), query: "?settle=0.01")
            #expect(try answer.json()["settled"]?.bool == false)
            let description = try demo.get().json()
            #expect(description["effects"]?.elements?.first?["name"]?.string == "load")
            #expect(description["effects"]?.elements?.first?["cause"]?.integer == 1)
            gate.open()
        }
    }

    @Test func `are described: name, cause, since when, running or waiting`() async throws {
        let gate = Gate()
        let before = Date()
        try await Demo.notes(NotesApplication(gate: gate)) { demo in
            try demo.dispatch("queued")
            try demo.dispatch("queued")
            let effects = try #require(try demo.get().json()["effects"]?.elements)
            #expect(effects.map { $0["name"]?.string } == ["queue", "queue"])
            #expect(effects.map { $0["cause"]?.integer } == [1, 2])
            #expect(effects.map { $0["status"]?.string } == ["running", "waiting"])
            for effect in effects {
                let since = try #require(effect["since"]?.string)
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                #expect(try Date(since, strategy: style) > before.addingTimeInterval(-1))
            }
            gate.open()
            let answer = try demo.post(load(0), query: "?settle=20")
            #expect(answer.status == 200)
        }
    }

    @Test func `without any are settled at once`() async throws {
        try await Demo.notes { demo in
            let answer = try demo.post(load(0), query: "?settle=20")
            #expect(try answer.json()["settled"]?.bool == true)
        }
    }

    @Test func `reach watchers by facts`() async throws {
        let gate = Gate()
        try await Demo.notes(NotesApplication(gate: gate)) { demo in
            let events = try demo.events("?select=/loads")
            #expect(try events.next()?.data == "0")
            try demo.post(load(1))
            gate.open()
            let event = try #require(try events.next())
            #expect(event.data == "1")
            #expect(event.id?.contains("-2.") == true)
        }
    }

    @Test func `have no part in a session's start: its state has work, which runs once`()
        async throws
    {
        try await Demo.notes(NotesApplication(hasStart: true)) { demo in
            try demo.server.create(demo.path)
            while try demo.get("/state?select=/starts").body == "0" {}
            while try !demo.get().body.contains(#""inFlight":0"#) {}
            #expect(try demo.get("/state?select=/starts").body == "1")
        }
    }

    @Test func `end with their session, and report to nobody`() async throws {
        let gate = Gate()
        try await Demo.notes(NotesApplication(gate: gate)) { demo in
            let held = try demo.openPost(load(1), query: "?settle=20")
            let events = try demo.events("?select=/loads")
            #expect(try events.next()?.data == "0")
            #expect(try demo.delete().status == 204)
            #expect(try events.next()?.name == "end")
            gate.open()
            let answer = try held.answer()
            #expect([200, 410].contains(answer.status))
            #expect(try demo.server.send("GET", "/livez").status == 200)
        }
    }
}
