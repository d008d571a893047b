import Counter
import CounterModel
import Sockets
import StateCoding
import Statecast
import Testing

@testable import StatecastTesting

@Suite(.onBothJournals) struct `An event stream` {
    @Test func `begins with the state and goes on with every change`() async throws {
        try await Demo.counter { demo in
            let events = try demo.events()
            #expect(try events.next()?.data == "{\"count\":0}")
            #expect(events.head.contains("Content-Type: text/event-stream"))
            #expect(events.head.contains("Cache-Control: no-store, no-transform"))
            for count in 1...20 {
                let answer = try demo.increment()
                let event = try #require(try events.next())
                #expect(event.data == "{\"count\":\(count)}")
                #expect(event.id == answer.etag)
            }
        }
    }

    @Test func `says to each client another time to come back`() async throws {
        try await Demo.counter { demo in
            let times = try (0..<20).map { _ in
                let connection = try demo.server.connect()
                try connection.send(demo.server.request("GET", demo.path + "/events", [:], nil))
                let bytes = try connection.receive {
                    String(decoding: $0, as: UTF8.self).contains("data: ")
                }
                let text = String(decoding: bytes, as: UTF8.self)
                let field = try #require(text.firstRange(of: "retry: "))
                return try #require(Int(text[field.upperBound...].prefix { $0.isNumber }))
            }
            #expect(times.allSatisfy { (2_000...4_000).contains($0) })
            #expect(Set(times).count > 1)
        }
    }

    @Test(arguments: [1, 2])
    func `follows the answer on one connection, whichever loop the session lives on`(
        loopCount: Int
    ) async throws {
        try await TestServer.run(
            changing: { $0.loopCount = loopCount },
            serving: { Served("/counter", CounterApplication()) }
        ) { server in
            for number in 0..<8 {
                let session = "/counter/sessions/s\(number)"
                try server.create(session)
                let connection = try server.connect()
                let body = "{\"type\":\"incremented\",\"payload\":{\"by\":1}}"
                try connection.send(
                    "POST \(session)/actions HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)"
                        + "\r\n\r\n\(body)GET \(session)/events HTTP/1.1\r\nHost: localhost"
                        + "\r\n\r\n")
                let text = String(
                    decoding: try connection.receive {
                        String(decoding: $0, as: UTF8.self).contains("data: {\"count\":1}\n\n")
                    }, as: UTF8.self)
                let token = try #require(text.firstRange(of: "\"token\":\""))
                let value = text[token.upperBound...].prefix { $0 != "\"" }
                let event = try #require(text.firstRange(of: "id: \(value)\ndata: "))
                #expect(token.upperBound < event.lowerBound)
            }
        }
    }

    @Test func `says nothing where nothing changed`() async throws {
        try await Demo.counter { demo in
            let events = try demo.events()
            #expect(try events.next()?.data == "{\"count\":0}")
            try demo.dispatch("reset")
            try demo.increment()
            let event = try #require(try events.next())
            #expect(event.data == "{\"count\":1}")
            #expect(event.id?.hasSuffix("-2") == true)
        }
    }

    @Test(arguments: ["Last-Event-ID", "last_event_id", "lastEventId"])
    func `resumes behind the event that the client names`(name: String) async throws {
        try await Demo.counter { demo in
            let answer = try demo.increment()
            let id = try #require(answer.etag)
            let isField = name == "Last-Event-ID"
            let events = try demo.events(
                isField ? "" : "?\(name)=\(id)",
                fields: isField ? [name: id] : [:])
            try demo.increment()
            #expect(try events.next()?.data == "{\"count\":2}")
        }
    }

    @Test(arguments: ["foreign-1", "nonsense", "", "x-99999999999999999999"])
    func `shows the state to a client that names an event nobody knows`(
        id: String
    ) async throws {
        try await Demo.counter { demo in
            let events = try demo.events(fields: ["Last-Event-ID": id])
            #expect(try events.next()?.data == "{\"count\":0}")
        }
    }

    @Test func `of a part tells where the part has left the state`() async throws {
        try await Demo.counter { demo in
            let staying = try demo.events("?select=/count/nothing")
            #expect(try staying.next()?.name == "out-of-scope")
            let ending = try demo.events("?select=/nothing&until=out-of-scope")
            #expect(try ending.next()?.name == "out-of-scope")
            #expect(try ending.next() == nil)
        }
    }

    @Test(arguments: ["TOKEN.abc", "0TOKEN", "EPOCH-00"])
    func `begins with the state for one who names no id of ours`(id: String) async throws {
        try await Demo.counter { demo in
            let tag = try #require(try demo.get("/state").etag)
            let epoch = tag.split(separator: "-")[0]
            let text = id.replacing("TOKEN", with: tag).replacing("EPOCH", with: epoch)
            let events = try demo.events(fields: ["Last-Event-ID": text])
            #expect(try events.next()?.data.contains("count") == true)
        }
    }

    @Test func `is one JSON object a line for one who prefers that`() async throws {
        try await Demo.counter { demo in
            let lines = try demo.open("/events", fields: ["Accept": "application/x-ndjson"])
            try demo.increment()
            #expect(try demo.delete().status == 204)
            let answer = try lines.answer()
            let objects = answer.body.split(separator: "\n")
            #expect(answer.fields["content-type"] == "application/x-ndjson")
            #expect(objects.first?.contains("\"state\":{\"count\":") == true)
            #expect(objects.last?.hasPrefix(#"{"event":"end","token":""#) == true)
        }
    }
}
