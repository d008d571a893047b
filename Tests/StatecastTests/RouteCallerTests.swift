import Counter
import CounterModel
import Foundation
import StateCoding
import StatecastTesting
import Testing

@testable import Statecast

@Suite(.onBothJournals) struct `A route's caller` {
    private func withServer(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        @ServerBuilder serving routes: () -> [ServerPart],
        body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let parts = routes()
        try await TestServer.run(
            changing: change,
            serving: {
                TableApplication().served(at: "/table")
                parts
            }, body: body)
    }

    private func text(_ text: String) -> RouteResponse {
        RouteResponse(.ok, headerFields: [.contentType: "text/plain"], body: Array(text.utf8))
    }

    @Test(
        arguments: [
            ([:], 200), (["Sec-Fetch-Site": "same-origin"], 200), (["Sec-Fetch-Site": "none"], 200),
            (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
            (["Origin": "https://evil.example"], 403), (["Origin": "null"], 403),
            // A link that somebody follows, and what only looks like one.
            (
                [
                    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
                    "Sec-Fetch-Dest": "document",
                ], 200
            ),
            (
                [
                    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
                    "Sec-Fetch-Dest": "iframe",
                ], 403
            ),
            (
                [
                    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors",
                    "Sec-Fetch-Dest": "image",
                ], 403
            ),
            (
                [
                    "Origin": "https://evil.example", "Sec-Fetch-Mode": "navigate",
                    "Sec-Fetch-Dest": "document",
                ], 403
            ),
        ] as [([String: String], Int)])
    func `of another origin gets no answer of its own origin's route by GET`(
        fields: [String: String], status: Int
    ) async throws {
        try await withServer(serving: {
            Route(.get, "/own") { _ in text("own") }
            Route(.get, "/any", callers: .anywhere) { _ in text("any") }
        }) { server async throws in
            for method in ["GET", "HEAD"] {
                let answer = try server.send(method, "/own", fields: fields)
                #expect(answer.status == status)
                #expect(try server.send(method, "/any", fields: fields).status == 200)
                // The server's own resources say nothing that a page could read without CORS.
                #expect(try server.send(method, "/livez", fields: fields).status == 200)
            }
        }
    }

    @Test(arguments: [
        ("Basic YTpi", true), ("basic YTpi", true), ("Digest username=\"a\"", true),
        ("Negotiate YTpi", true), ("NTLM YTpi", true), ("Bearer abc", false),
        ("Basically x", false),
        ("Signature x", false),
    ])
    func `from anywhere brings no password that its browser remembers`(
        authorization: String, isTaken: Bool
    ) async throws {
        try await withServer {
            $0.authorize = {
                .granted(Principal($0.authorization ?? "-", roles: ["act", "observe"]))
            }
        } serving: {
            for (path, callers) in [("/any", Route.Callers.anywhere), ("/own", .ownOrigin)] {
                Route(.get, path, callers: callers) { request in
                    let seen = request.head.headerFields[.authorization] ?? "-"
                    return text("\(seen) | \(request.principal?.id ?? "-")")
                }
            }
        } body: { server async throws in
            let fields = ["Authorization": authorization]
            let any = try server.send("GET", "/any", fields: fields).body
            #expect(any == (isTaken ? "- | -" : "\(authorization) | \(authorization)"))
            let own = try server.send("GET", "/own", fields: fields).body
            #expect(own == "\(authorization) | \(authorization)")
        }
    }

    @Test func `is told what is wrong with its body, and not with what the server reads`()
        async throws
    {
        try await withServer(serving: {
            Route(.post, "/body") { request in
                let number: Int = try request.decode()
                return text("\(number)")
            }
            Route(.post, "/other") { _ in
                text("\(try StateDecoder().decode(Int.self, from: Array("{}".utf8)))")
            }
            Route(.post, "/foundation") { _ in
                text("\(try JSONDecoder().decode(Int.self, from: Data("{}".utf8)))")
            }
        }) { server async throws in
            func post(_ path: String, _ body: String) throws -> TestAnswer {
                try server.send(
                    "POST", path, fields: ["Content-Type": "application/json"], body: body)
            }
            #expect(try post("/body", "7").body == "7")
            #expect(try post("/body", "{}").problem == "bad-body")
            #expect(try post("/body", "{").problem == "malformed-json")
            for path in ["/other", "/foundation"] {
                let answer = try post(path, "7")
                #expect(answer.status == 500)
                #expect(answer.problem == "route-failed")
            }
        }
    }

    @Test func `reaches sessions, and is told of their problems`() async throws {
        try await withServer(serving: {
            Route(.post, "/hooks/{table}") { request in
                let text: String = try request.decode()
                let table = try request.sessions.session(
                    request.parameters["table"] ?? "", of: TableApplication.self)
                try await table.dispatch(.sat(name: text), as: Principal("hook:\(text)"), key: text)
                return RouteResponse(.noContent)
            }
            Route(.post, "/counters") { request in
                try await request.sessions.create(of: CounterApplication.self)
                return RouteResponse(.noContent)
            }
        }) { server async throws in
            func post(_ path: String, _ body: String) throws -> TestAnswer {
                try server.send(
                    "POST", path, fields: ["Content-Type": "application/json"], body: body)
            }
            #expect(try post("/hooks/one", "\"a\"").problem == "session-not-found")
            try server.create("/table/sessions/one")
            for _ in 0..<2 { #expect(try post("/hooks/one", "\"a\"").status == 204) }
            #expect(try post("/hooks/one", "\"b\"").status == 204)
            let full = try post("/hooks/one", "\"c\"")
            #expect(full.status == 409)
            #expect(full.problem == "no-seat")
            let state = try server.send("GET", "/table/sessions/one/state").body
            #expect(state.contains(#""players":["a by hook:a","b by hook:b"]"#))
            #expect(try post("/hooks/a%20b", "\"c\"").problem == "bad-session-id")
            #expect(try server.send("DELETE", "/table/sessions/one").status == 204)
            #expect(try post("/hooks/one", "\"c\"").problem == "session-ended")
            // The server does not serve it: a mistake of its own.
            #expect(try post("/counters", "1").problem == "route-failed")
        }
    }
}
