import Foundation
import FoundationNetworking
import Testing

@Suite(.serialized) struct `The bounds of the running server` {
    @Test func `are listed, and set by name`() throws {
        let list = try RunningProcess(Products.statecast, ["limits"])
        let line = try list.firstLine { $0.hasPrefix("body-bytes ") ? $0 : nil }
        #expect(line.contains(" 1MiB "))
        let server = try StatecastServer(["--limit", "target-bytes=1KiB"])
        let url = server.base
        let (fits, _) = try Curl.exchange(["\(url)/livez?\(String(repeating: "x", count: 900))"])
        #expect(fits.statusCode == 200)
        let (long, _) = try Curl.exchange(["\(url)/livez?\(String(repeating: "x", count: 1100))"])
        #expect(long.statusCode == 414)
    }

    @Test(arguments: ["body-bytes", "body-bytes=", "body-bytes=much", "nonsense=1"])
    func `are refused where they make no sense`(setting: String) throws {
        let refused = try RunningProcess(
            Products.statecast, ["serve", "--port", "0", "--journal", "memory", "--limit", setting])
        #expect(throws: ProcessEnded.self) { try refused.firstLine { _ in Bool?.none } }
        refused.process.waitUntilExit()
        #expect(refused.process.terminationStatus != 0)
    }

    @Test func `of the journal's bytes are a number with its unit`() throws {
        let refused = try Products.run(["serve", "--journal-bytes", "much"], input: "")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--journal-bytes is a number of bytes such as 500MiB"))
    }

    @Test func `of floods answer 429, and streams are as slow as they ask for`() async throws {
        let bounded = try StatecastServer(["--limit", "client-actions=1"])
        let session = "/counter/sessions/flood"
        _ = try await bounded.client.exchange("PUT", session)
        let post = ["-H", "Content-Type: application/json", "-d", #"{"type":"reset"}"#]
        let url = "\(bounded.base)\(session)/actions"
        var answer = try Curl.exchange(post + [url]).0
        for _ in 1...50 where answer.statusCode == 200 {
            answer = try Curl.exchange(post + [url]).0
        }
        #expect(answer.statusCode == 429)
        #expect(answer.value(forHTTPHeaderField: "Retry-After") != nil)

        let server = try StatecastServer()
        _ = try await server.client.exchange("PUT", session)
        let stream = try CurlStream("\(server.base)\(session)/events?throttle=250")
        _ = try stream.state { $0["count"] as? Int == 0 }
        var (count, metrics) = (0, "")
        while !metrics.contains(/statecast_joined_events_total [1-9]/), count < 100 {
            for _ in 1...5 { try await server.client.dispatch(session, "incremented", ["by": 1]) }
            count += 5
            _ = try stream.state { $0["count"] as? Int == count }
            let told = try Curl.exchange(["\(server.base)/metrics"]).1
            metrics = String(decoding: told, as: UTF8.self)
        }
        #expect(metrics.contains(/statecast_joined_events_total [1-9]/))
        #expect(metrics.contains(/statecast_state_largest_bytes\{application="\/counter"\} [1-9]/))
        try await floodChat(of: server)
    }

    /// Who says too much at a table of Cards is told when there is room again, and goes on playing.
    private func floodChat(of server: StatecastServer) async throws {
        let client = server.client
        let (signedIn, _) = try await client.exchange("POST", "/cards/sign-in", ["name": "Alice"])
        let cookie = signedIn.value(forHTTPHeaderField: "Set-Cookie")?.prefix { $0 != ";" } ?? ""
        func post(_ path: String, _ type: String, _ payload: [String: Any]) async throws
            -> HTTPURLResponse
        {
            try await client.exchange(
                "POST", "/cards/\(path)/actions", ["type": type, "payload": payload],
                fields: ["Cookie": String(cookie)]
            ).0
        }
        let lobby = "lobby/sessions/lobby"
        _ = try await post(lobby, "opened", ["name": "Friday", "seats": 2])
        let stream = try CurlStream("\(server.base)/cards/\(lobby)/events")
        let shown = try stream.state { ($0["tables"] as? [Any])?.isEmpty == false }
        let table = try #require((shown["tables"] as? [[String: Any]])?.first?["id"] as? String)
        var statuses: [Int] = []
        for number in 1...6 {
            let answer = try await post(
                "tables/sessions/\(table)", "said", ["text": "\(number)"])
            statuses.append(answer.statusCode)
            #expect((answer.value(forHTTPHeaderField: "Retry-After") != nil) == (number == 6))
        }
        #expect(statuses == [200, 200, 200, 200, 200, 429])
        let sat = try await post("tables/sessions/\(table)", "sat", ["name": "Alice"])
        #expect(sat.statusCode == 200)
    }

    @Test func `of a page's screen and of a state's size are what an address tells`() async throws {
        let server = try StatecastServer()
        let session = "/episodes/sessions/a"
        _ = try await server.client.exchange("PUT", session)
        let address = server.base + session
        try await server.client.dispatch(session, "screens/shown", ["home": [String: String]()])
        let (_, told) = try Curl.exchange([address])
        #expect(String(decoding: told, as: UTF8.self).contains(/"stateBytes":[1-9]/))
        for (id, status) in [("home", 200), ("episode:e7", 404)] {
            let (screen, _) = try Curl.exchange(["\(address)/state?view=screen&id=\(id)"])
            #expect(screen.statusCode == status)
        }
    }

    @Test func `the pages' policy is the operator's, with further places of pictures`() throws {
        let server = try StatecastServer([
            "--page-policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
            "--image-source", "https://images.example",
        ])
        let (page, _) = try Curl.exchange(["\(server.base)/"])
        #expect(
            page.value(forHTTPHeaderField: "Content-Security-Policy")
                == "default-src 'self'; img-src 'self' data: https://images.example; "
                + "frame-ancestors 'self'")
    }
}
