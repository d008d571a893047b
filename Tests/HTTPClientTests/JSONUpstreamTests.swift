import Redux
import Testing

@testable import HTTPClient

@Suite struct `A path of an outside API` {
    @Test(arguments: [
        ("e7", "/episodes/e7/comments"), ("...", "/episodes/.../comments"),
        (".a", "/episodes/.a/comments"), ("a/b", "/episodes/a%2Fb/comments"),
        ("../x", "/episodes/..%2Fx/comments"), ("%2e%2e", "/episodes/%252e%252e/comments"),
        ("a?b#c", "/episodes/a%3Fb%23c/comments"), ("a b\r\n", "/episodes/a%20b%0D%0A/comments"),
        ("å~_-", "/episodes/%C3%A5~_-/comments"), ("\0", "/episodes/%00/comments"),
    ])
    func `holds a segment as it is meant, whatever stands in it`(
        segment: String, path: String
    ) throws {
        #expect(try JSONUpstream.path(["episodes", segment, "comments"]) == path)
    }

    @Test(arguments: ["", ".", ".."])
    func `refuses a segment that no encoding makes harmless`(segment: String) {
        let error = UpstreamError(status: 404)
        for path in [["episodes", segment, "comments"], [segment], ["episodes", segment]] {
            #expect(throws: error) { try JSONUpstream.path(path) }
        }
        #expect(UpstreamError.message(for: error) == "The service does not know this.")
    }

    @Test func `holds values of its query, also empty and dotted ones`() throws {
        let path = try JSONUpstream.path(["places"], query: ["query": "a&b=..", "near": ""])
        #expect(path == "/places?query=a%26b%3D..&near=")
    }
}

@Suite struct `JSON to and from an outside service` {
    private struct Charge: Codable, Equatable { let amount: Int }

    @Test func `carries fields, the key of work and a time-out, and tells what was refused`()
        async throws
    {
        let asked = Events<String>()
        let server = RawServer { connection, _ in
            while let request = connection.receiveRequest() {
                asked.report(request)
                switch request.split(separator: " ")[1] {
                case "/slow": return connection.waitForClose()
                case "/none": connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                case "/refused":
                    connection.send("HTTP/1.1 402 No\r\nContent-Length: 4\r\n\r\npoor")
                default:
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"amount\":7}")
                }
            }
        }
        try await withClient { client in
            var api = JSONUpstream(client: client, base: server.url(""))
            api.fields[.authorization] = "Bearer k"
            let charge: Charge = try await api.get("charges")
            #expect(charge == Charge(amount: 7))
            let got = try #require(await asked.next())
            #expect(got.contains("Authorization: Bearer k\r\n"))
            let kept: Charge = try await JSONUpstream.onBehalf(of: "s1", key: "w-1") {
                try await api.post(charge, to: "charges", authorization: "Basic YQ==")
            }
            #expect(kept == charge)
            let posted = try #require(await asked.next())
            #expect(posted.contains("Idempotency-Key: w-1\r\n"))
            #expect(posted.contains("Authorization: Basic YQ==\r\n"))
            let _: Done = try await api.post(charge, to: "none")
            let last = try #require(await asked.next())
            #expect(!last.contains("Idempotency-Key"))
            let refused = UpstreamError(status: 402, body: Array("poor".utf8))
            #expect(await error(of: api, "refused") as? UpstreamError == refused)
            api.totalTimeout = .milliseconds(50)
            #expect(await error(of: api, "slow") as? HTTPClientError == .timedOut)
        }
    }

    private func error(of api: JSONUpstream, _ path: String) async -> (any Error)? {
        do {
            let _: Charge = try await api.get(path)
            return nil
        } catch {
            return error
        }
    }
}
