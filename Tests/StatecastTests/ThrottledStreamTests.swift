import Statecast
import Testing

@testable import StatecastTesting

@Suite(.onBothJournals) struct `A stream that is to be sent so much at most` {
    private func add(_ texts: String..., to demo: Demo) throws {
        for text in texts { #expect(try demo.dispatch("added", "\"\(text)\"").status == 200) }
    }

    @Test(
        arguments: ["", "&patch=json-patch"], ["", "&select=/notes", "&view=last"])
    func `brings the newest state once its time has come`(mode: String, part: String) async throws {
        try await Demo.notes { demo in
            try add(String(repeating: "a", count: 300), to: demo)
            let events = try demo.events("?throttle=60000\(mode)\(part)")
            let plain = try demo.events("?\(mode)\(part)")
            _ = (try events.next(), try plain.next())
            try add("b", "c", "d", to: demo)
            // All of them are decided once the other stream has the last one.
            _ = try plain.next { $0.data.contains("\"d\"") }
            await demo.server.advance(by: .seconds(70))
            let newest = try #require(try events.next { $0.name != "ping" })
            #expect(newest.id?.contains("-4") == true)
            #expect(newest.data.contains("\"d\""))
            #expect((newest.name == "patch") == (!mode.isEmpty && part != "&view=last"))
            let isJoined = newest.data.contains(#""from":1,"version":4"#)
            #expect(newest.name != "patch" || isJoined)
            #expect(part == "&view=last" || newest.data.contains("\"b\""))
            // After a pause a change comes at once.
            await demo.server.advance(by: .seconds(70))
            try add("e", to: demo)
            #expect(try events.next { $0.name != "ping" }?.data.contains("\"e\"") == true)
            let metrics = try demo.server.send("GET", "/metrics").body
            #expect(metrics.contains("\nstatecast_joined_events_total 2\n"))
        }
    }

    @Test func `brings lines, and that its part is not there any more`() async throws {
        try await Demo.notes { demo in
            try demo.dispatch("opened", #"{"text":"a"}"#)
            let lines = try demo.events(
                "?throttle=60000&select=/open&until=out-of-scope",
                fields: ["Accept": "application/x-ndjson"])
            #expect(try lines.nextLine()?.contains(#""text":"a""#) == true)
            try demo.dispatch("opened", #"{"text":"b"}"#)
            try demo.dispatch("closed")
            await demo.server.advance(by: .seconds(70))
            var line = try lines.nextLine()
            while line?.contains("ping") ?? false { line = try lines.nextLine() }
            #expect(line?.contains("out-of-scope") == true)
            #expect(try lines.nextLine() == nil)
        }
    }

    @Test func `is compressed all the same`() async throws {
        try await Demo.counter { demo in
            let stream = try InflatingStream(
                demo.server, demo.path + "/events?throttle=60000&compression=gzip")
            _ = try stream.receive(to: "{\"count\":0}\n\n")
            for _ in 0..<2 { try demo.increment() }
            await demo.server.advance(by: .seconds(70))
            #expect(try !stream.receive(to: "{\"count\":2}\n\n").contains("\"count\":1"))
        }
    }

    @Test func `keeps its pace`() async throws {
        try await Demo.counter { demo in
            let early = try demo.events("?throttle=8000")
            await demo.server.advance(by: .milliseconds(300))
            let late = try demo.events("?throttle=8000")
            _ = (try early.next(), try late.next())
            for count in 1...4 {
                try demo.increment()
                await demo.server.advance(by: .seconds(9))
                for events in [early, late] {
                    #expect(try events.next { $0.name != "ping" }?.data == "{\"count\":\(count)}")
                }
            }
        }
    }

    @Test
    func `names no version that its client was not shown, and brings the last one at its end`()
        async throws
    {
        try await Demo.counter { demo in
            let lines = try demo.events(
                "?throttle=60000", fields: ["Accept": "application/x-ndjson"])
            #expect(try lines.nextLine()?.contains(#""state":{"count":0}"#) == true)
            try demo.increment()
            await demo.server.advance(by: .seconds(20))
            #expect(try lines.nextLine() == #"{"event":"ping"}"#)
            #expect(try demo.delete().status == 204)
            #expect(try lines.nextLine()?.contains(#""state":{"count":1}"#) == true)
            let end = try lines.nextLine() ?? ""
            #expect(end.hasPrefix(#"{"event":"end","token":""#) && end.hasSuffix(#""version":1}"#))
        }
    }

    @Test func `is not silent while others are sent what it waits for`() async throws {
        try await Demo.counter { demo in
            let calm = try demo.events("?throttle=60000")
            let plain = try demo.events()
            _ = (try calm.next(), try plain.next())
            for count in 1...4 {
                try demo.increment()
                _ = try plain.next { $0.data == "{\"count\":\(count)}" }
                await demo.server.advance(by: .seconds(9))
            }
            #expect(try calm.next()?.name == "ping")
        }
    }

    @Test func `is a matter of no view's arguments`() async throws {
        try await Demo.notes { demo in
            try add("a", to: demo)
            let all = (1...32).map { "&a\($0)=1" }.joined()
            let events = try demo.events("?view=last\(all)&throttle=60000")
            #expect(try events.next()?.name == "message")
            #expect(try demo.get("/events?view=last\(all)&b=1").status == 400)
        }
    }

    @Test(arguments: ["0", "60001", "-1", "", "1.5", "often"])
    func `says how often by a number of milliseconds`(text: String) async throws {
        try await Demo.counter { demo in
            let answer = try demo.get("/events?throttle=\(text)")
            #expect(answer.status == 400)
            #expect(answer.body.contains(#""parameter":"throttle""#))
        }
    }
}
