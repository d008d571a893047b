@testable import Episodes
@testable import EpisodesModel
import HTTPClient
import MockUpstream
import Statecast
import StatecastTesting
import Testing

@Suite struct `The fetches of a session of Episodes` {
    @Test func `keep no other session waiting, however many they are and however long they take`()
        async throws
    {
        var mock = MockConfiguration()
        mock.delay = 0
        let upstream = try MockServer(configuration: mock)
        let port = try upstream.start()
        var limits = HTTPClientConfiguration()
        limits.transferLimit = 2
        limits.ownerTransferLimit = 1
        let client = try OutboundClient(configuration: limits)
        let application = EpisodesApplication(
            upstream: EpisodesUpstream(client: client, base: "http://127.0.0.1:\(port)"))
        try await TestServer.run(serving: { Served("/episodes", application) }) { server in
            let held = try TestServer(port: port).send(
                "PUT", "/mock/failures", fields: ["Content-Type": "application/json"],
                body: #"{"path":"/episodes/*","count":1000,"delayMilliseconds":600000}"#)
            try #require(held.status == 204)
            let greedy = "/episodes/sessions/greedy"
            try server.create(greedy)
            for number in 0..<20 {
                let answer = try server.dispatch(
                    greedy, "screens/shown", #"{"episode":"e\#(number)"}"#)
                try #require(answer.status == 200)
            }
            let modest = "/episodes/sessions/modest"
            try server.create(modest)
            try server.dispatch(modest, "screens/shown", #"{"home":{}}"#)
            let events = try server.events(modest)
            var seen = ""
            while !seen.contains(#""upcoming":[{"#), let event = try events.next() {
                seen = event.data
                try #require(!seen.contains(#""failed""#))
            }
            #expect(seen.contains(#""loading":{"status":"idle"}"#))
            // The others are still on their way: nothing has given up for this one's sake.
            let others = try server.send("GET", "\(greedy)/state").body
            #expect(others.ranges(of: #""status":"loading""#).count == 40)
        }
        await client.shutdown()
        await upstream.stop()
    }
}

@Suite struct `A screen of Episodes` {
    @Test func `is followed by its name alone, wherever in the stack, until it is closed`()
        async throws
    {
        let path = "/episodes/sessions/screens"
        try await TestServer.run(
            serving: { Served("/episodes", ExampleApplications.episodes) }
        ) { server in
            try server.create(path)
            let episode = try server.events(path, query: "?view=screen&id=episode:e1")
            #expect(try episode.next()?.name == "out-of-scope")
            func show(_ screen: String) throws {
                try server.dispatch(path, "screens/shown", screen)
            }
            try show(#"{"home":{}}"#)
            try show(#"{"episode":"e1"}"#)
            #expect(try episode.next()?.data.hasPrefix(#"{"episode":{"id":"e1""#) == true)
            try show(#"{"profile":{"userID":"u1","commentID":"c1"}}"#)
            let draft = #"{"id":"e1","text":"Oh"}"#
            try server.dispatch(path, "episode/draftEdited", draft)
            var shown = ""
            while !shown.contains(#""draft":"Oh""#), let event = try episode.next() {
                shown = event.data
            }
            for (id, status) in [
                ("home", 200), ("profile:u1:c1", 200), ("profile:u1", 404), ("splash", 404),
                ("", 404),
            ] {
                let answer = try server.send("GET", "\(path)/state?view=screen&id=\(id)")
                #expect(answer.status == status, "\(id)")
            }
            try server.dispatch(path, "screens/dismissed", #"{"episode":"e1"}"#)
            // What has failed to load may still be shown before.
            var last = try episode.next()
            while let event = last, event.name != "out-of-scope" {
                try #require(event.data.contains(#""draft":"Oh""#))
                last = try episode.next()
            }
            #expect(last?.name == "out-of-scope")
        }
    }
}
