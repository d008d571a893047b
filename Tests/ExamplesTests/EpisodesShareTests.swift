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
