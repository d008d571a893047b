import Counter
import CounterModel
import Sockets
import StateCoding
import Statecast
import StatecastTesting
import Testing

@Suite(.onBothJournals) struct `Watching` {

    @Test func `a part until it leaves the state ends with it`() async throws {
        try await Demo.notes { demo in
            try demo.dispatch("opened", "{\"text\":\"a\"}")
            let events = try demo.events("?select=/open&until=out-of-scope")
            #expect(try events.next()?.data == "{\"text\":\"a\"}")
            try demo.dispatch("closed")
            #expect(try events.next()?.name == "out-of-scope")
            #expect(try events.next() == nil)
        }
    }

    @Test func `a part shows its changes only, and the id that moved on unseen`() async throws {
        try await Demo.notes { demo in
            let events = try demo.events("?select=/notes")
            #expect(try events.next()?.data == "[]")
            let unseen = try demo.dispatch("opened", "{\"text\":\"a\"}")
            await demo.server.advance(by: .seconds(1))
            let id = try events.nextID()
            let token = try #require(unseen.etag)
            #expect(id?.hasPrefix(token + ".") == true)
            try demo.dispatch("added", "\"x\"")
            #expect(try events.next()?.data == "[\"x\"]")
        }
    }

    @Test func `an id counts for the part that it was given for, and for no other`() async throws {
        try await Demo.notes { demo in
            let notes = try demo.events("?select=/notes")
            let id = try #require(try notes.next()?.id)
            let queries = ["?", "?select=/loads&", "?view=count&"]
            for query in queries {
                let events = try demo.events("\(query)last_event_id=\(id)")
                #expect(try events.next()?.data != nil, "\(query)")
            }
            let tag = try #require(try demo.get("/state?select=/notes").etag)
            #expect(tag == id)
            for path in ["/state?wait=20", "/state?select=/loads&wait=20"] {
                let answer = try demo.get(path, fields: ["If-None-Match": "\"\(tag)\""])
                #expect(answer.status == 200, "\(path)")
            }
        }
    }

    @Test(arguments: ["", "?select=/notes&", "?view=count&"])
    func `a resume in lines says at once where it stands`(query: String) async throws {
        try await Demo.notes { demo in
            let lines = ["Accept": "application/x-ndjson"]
            let first = try demo.events(query, fields: lines)
            let shown = try #require(try first.nextLine())
            let line = try JSONValue(parsing: Array(shown.utf8).span)
            let id = try #require(line["token"]?.string)
            let query = query.isEmpty ? "?" : query
            let again = try demo.events("\(query)last_event_id=\(id)", fields: lines)
            #expect(try again.nextLine() == #"{"token":"\#(id)","version":0}"#)
        }
    }

    @Test(arguments: ["?select=/notes", "?view=count", ""])
    func `a tag of a part or view is a condition for actions by its token`(
        query: String
    ) async throws {
        try await Demo.notes { demo in
            let tag = try #require(try demo.get("/state\(query)").etag)
            let condition = ["If-Match": "\"other\", W/\"\(tag)\""]
            #expect(try demo.dispatch("closed", fields: condition).status == 200)
            #expect(try demo.dispatch("closed", fields: condition).status == 412)
        }
    }

    @Test func `a view shows what the application computes`() async throws {
        try await Demo.notes { demo in
            let path = demo.path + "/state?view=last&prefix=%E2%86%92"
            #expect(try demo.server.send("GET", path).status == 404)
            try demo.dispatch("added", "\"x\"")
            let answer = try demo.server.send("GET", path)
            #expect(answer.body == "\"→x\"")
            let other = try demo.get("/state?view=last&prefix=-")
            #expect(other.etag != answer.etag)
            let events = try demo.events("?view=count")
            #expect(try events.next()?.data == "1")
            try demo.dispatch("closed")
            try demo.dispatch("added", "\"y\"")
            #expect(try events.next()?.data == "2")
            #expect(try demo.get("/state?view=no").status == 400)
        }
    }

    @Test func `ends busy where there are as many watchers as allowed`() async throws {
        try await Demo.notes(changing: { $0.sessionLimits.watcherCount = 1 }) { demo in
            let first = try demo.events("?select=/notes")
            #expect(try first.next()?.data == "[]")
            let second = try demo.events()
            #expect(try second.next()?.name == "busy")
            #expect(try second.next() == nil)
            #expect(second.head.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `resumed where the session stands repeats nothing`() async throws {
        try await Demo.notes { demo in
            let first = try demo.events()
            let id = try #require(try first.next()?.id)
            let again = try demo.events(fields: ["Last-Event-ID": id])
            #expect(try again.nextID() == id)
            try demo.dispatch("added", "\"x\"")
            let event = try #require(try again.next())
            #expect(event == (try first.next()))
            #expect(event.data.contains("\"x\""))
        }
    }
}
