import Counter
import CounterModel
import Logging
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `The response of a route` {
    private static let smuggled = "SMUGGLED"

    /// The answer to `GET /route` by a handler, and what was logged.
    private func answer(
        _ method: String = "GET", _ handle: @escaping Route.Handler
    ) async throws -> (answer: RawAnswer, log: LogLines) {
        let log = LogLines()
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "test") { _ in log.handler }
        configuration.logger.logLevel = .error
        let answer = try await TestServer.run(
            configuration, serving: { Route(.get, "/route/{secret}", handle) }
        ) { server async throws in
            try RawAnswer(server, "\(method) /route/hidden HTTP/1.1\r\nHost: localhost\r\n")
        }
        return (answer, log)
    }

    @Test func `is sent as it is, with the fields of every answer`() async throws {
        let (answer, log) = try await answer { _ in
            RouteResponse(
                .created, headerFields: [.contentType: "text/plain", .location: "/a"],
                body: Array("made".utf8))
        }
        #expect(answer.status == 201)
        #expect(answer.body == "made")
        #expect(answer.values("content-length") == ["4"])
        #expect(answer.values("content-type") == ["text/plain"])
        #expect(answer.values("location") == ["/a"])
        #expect(answer.values("date").count == 1)
        #expect(answer.values("x-content-type-options") == ["nosniff"])
        #expect(answer.values("cross-origin-resource-policy") == ["same-origin"])
        #expect(answer.values("cache-control") == ["no-store"])
        #expect(answer.values("referrer-policy") == ["same-origin"])
        #expect(answer.values("content-security-policy").first?.hasSuffix("sandbox") == true)
        #expect(log.all == [])
    }

    @Test func `may set a field several times, and say more than by default`() async throws {
        let (answer, _) = try await answer { _ in
            var response = RouteResponse(.noContent)
            for cookie in ["a=1; HttpOnly", "b=2; HttpOnly"] {
                response.headerFields.append(HTTPField(name: .setCookie, value: cookie))
            }
            response.headerFields[.cacheControl] = "max-age=60"
            response.headerFields[.contentSecurityPolicy] = "default-src 'self'"
            response.headerFields[.vary] = "Accept-Language"
            return response
        }
        #expect(answer.status == 204)
        #expect(answer.values("set-cookie") == ["a=1; HttpOnly", "b=2; HttpOnly"])
        #expect(answer.values("cache-control") == ["max-age=60"])
        #expect(answer.values("content-security-policy") == ["default-src 'self'"])
        #expect(answer.values("vary") == ["Accept-Language"])
        #expect(answer.values("content-length") == [])
    }

    @Test func `to HEAD has no body, and its length`() async throws {
        let (answer, _) = try await answer("HEAD") { request in
            #expect(request.head.method == .head)
            return RouteResponse(.ok, body: Array(repeating: 0x61, count: 20_000))
        }
        #expect(answer.body == "")
        #expect(answer.values("content-length") == ["20000"])
        #expect(answer.values("content-type") == ["application/octet-stream"])
    }

    @Test(arguments: [
        ("/next?a=1", true), ("https://app.example/", true), ("", false), ("/a b", false),
        ("/ä", false), ("/a\r\nX: \(smuggled)", false), ("/a\nX: \(smuggled)", false),
    ])
    func `leads to an address`(location: String, isAddress: Bool) async throws {
        let (answer, log) = try await answer { _ in .redirect(to: location) }
        #expect(answer.status == (isAddress ? 303 : 500))
        #expect(answer.values("location") == (isAddress ? [location] : []))
        #expect(log.all.count == (isAddress ? 0 : 1))
        #expect(!answer.body.contains(Self.smuggled))
    }

    @Test(arguments: [
        "Content-Length", "content-length", "Transfer-Encoding", "Connection", "Keep-Alive",
        "Upgrade", "Trailer", "TE", "Proxy-Connection", "Date", "X-Content-Type-Options",
        "Cross-Origin-Resource-Policy", "Access-Control-Allow-Origin",
        "Access-Control-Allow-Credentials",
    ])
    func `sets no field that the server sets`(name: String) async throws {
        let (answer, log) = try await answer { _ in
            let field = try #require(HTTPField.Name(name))
            return RouteResponse(
                .ok, headerFields: [field: "7"], body: Array("0\r\n\r\n\(Self.smuggled)".utf8))
        }
        #expect(answer.status == 500)
        #expect(answer.body.contains("/problems/route-failed"))
        #expect(!answer.body.contains(Self.smuggled))
        #expect(answer.values("content-length").count == 1)
        #expect(answer.values("transfer-encoding") == [])
        #expect(log.all.count == 1)
        #expect(log.text.contains("GET /route/{secret}"))
        #expect(!log.text.contains("hidden"))
    }

    @Test func `cannot end its head by a value`() async throws {
        let values = [
            "a\r\nX-Bad: \(Self.smuggled)", "a\nX-Bad: \(Self.smuggled)", "a\rX-Bad: 1", "a\u{0}b",
            "a\r\n\r\n\(Self.smuggled)",
        ]
        for value in values {
            for isLenient in [false, true] {
                let (answer, _) = try await answer { _ in
                    let name = try #require(HTTPField.Name("X-Value"))
                    var response = RouteResponse(.ok, body: Array("body".utf8))
                    response.headerFields.append(
                        isLenient
                            ? HTTPField(name: name, lenientValue: Array(value.utf8))
                            : HTTPField(name: name, value: value))
                    return response
                }
                #expect(answer.values("x-bad") == [])
                #expect(!answer.body.contains(Self.smuggled))
                #expect([200, 500].contains(answer.status))
            }
        }
    }

    @Test func `is refused with control characters`() async throws {
        let (answer, log) = try await answer { _ in
            let name = try #require(HTTPField.Name("X-Value"))
            var response = RouteResponse(.ok)
            response.headerFields.append(HTTPField(name: name, lenientValue: [0x61, 0x07, 0x62]))
            return response
        }
        #expect(answer.status == 500)
        #expect(log.all.count == 1)
    }

    @Test(arguments: [100, 101, 199, 600, 999, 204, 205, 304])
    func `has a status of an answer, and a body where that has one`(code: Int) async throws {
        let (answer, log) = try await answer { _ in
            RouteResponse(.init(code: code), body: Array("x".utf8))
        }
        #expect(answer.status == 500)
        #expect(log.all.count == 1)
    }

    // MARK: Errors

    private struct Internal: Error, CustomStringConvertible {
        var description: String { "the password is \(smuggled)" }
    }

    @Test func `to an error of the client's is its problem`() async throws {
        let (invalid, log) = try await answer { _ in
            throw Rejection("bad-signature", "The body is not signed.")
        }
        #expect(invalid.status == 422)
        #expect(invalid.body.contains("bad-signature"))
        let (conflict, _) = try await answer { _ in
            throw Rejection("taken", "It is taken.", kind: .conflict)
        }
        #expect(conflict.status == 409)
        #expect(log.all == [])
    }

    @Test func `to any other error is 500 without its text, which is logged by the route's name`()
        async throws
    {
        let (answer, log) = try await answer { _ in throw Internal() }
        #expect(answer.status == 500)
        #expect(answer.body.contains("/problems/route-failed"))
        #expect(!answer.body.contains(Self.smuggled))
        #expect(answer.fields.allSatisfy { !$0.contains(Self.smuggled) })
        #expect(log.all == ["error A route failed: the password is \(Self.smuggled)"])
        #expect(log.text.contains("GET /route/{secret}"))
        #expect(!log.text.contains("hidden"))
    }
}
