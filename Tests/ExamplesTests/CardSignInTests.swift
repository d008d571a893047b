import Cards
import Statecast
import StatecastTesting
import Testing

@Suite struct `A sign-in at the card room` {
    private func post(
        _ server: TestServer, _ path: String, _ body: String, _ fields: [String: String] = [:]
    ) throws -> TestAnswer {
        let type = ["Content-Type": "application/json"].merging(fields) { $1 }
        return try server.send("POST", path, fields: type, body: body)
    }

    @Test func `gives a cookie that scripts cannot read, and a new one each time`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            let answer = try post(server, "/cards/sign-in", #"{"name":"Alice"}"#)
            let cookie = try #require(answer.fields["set-cookie"])
            #expect(answer.status == 200 && answer.body.contains(#""name":"Alice""#))
            #expect(
                cookie.contains(
                    /^cards=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/))
            let first = ["Cookie": String(cookie.prefix { $0 != ";" })]
            let me = try server.send("GET", "/cards/me", fields: first)
            #expect(me.status == 200 && me.body == answer.body)

            let again = try post(server, "/cards/sign-in", #"{"name":"Alice"}"#, first)
            #expect(again.body != answer.body && again.fields["set-cookie"] != cookie)
            #expect(try server.send("GET", "/cards/me", fields: first).status == 401)
            let secure = try post(
                server, "/cards/sign-in", #"{"name":"Alice"}"#, ["X-Forwarded-Proto": "https"])
            #expect(secure.fields["set-cookie"]?.hasSuffix("; Secure") == true)
        }
        try await CardGuests.serve(CardRoom(isSecure: true)) { guests in
            let answer = try post(guests.server, "/cards/sign-in", #"{"name":"Alice"}"#)
            #expect(answer.fields["set-cookie"]?.hasSuffix("; Secure") == true)
        }
    }

    @Test(
        arguments: [
            (#"{"name":""}"#, "empty"), (#"{"name":" "}"#, "empty"), (#"{"name":7}"#, nil),
            ("{\"name\":\"\(String(repeating: "a", count: 41))\"}", "too-long"),
        ] as [(String, String?)])
    func `wants a name`(body: String, code: String?) async throws {
        try await CardGuests.serve { guests in
            let answer = try post(guests.server, "/cards/sign-in", body)
            #expect(answer.status == 422 && answer.fields["set-cookie"] == nil)
            // A place in the body as it was sent: there is no payload.
            #expect(answer.body.contains(#""pointer":"/name""#))
            if let code { #expect(answer.problem == code) }
        }
    }

    @Test func `ends with signing out, and the person's streams with it`() async throws {
        try await CardGuests.serve { guests in
            let server = guests.server
            #expect(try server.send("GET", "/cards/me").status == 404)
            let alice = try guests.signIn("Alice")
            let table = try guests.openTable(seats: 2, as: alice)
            try server.dispatch(table, "sat", #"{"name":"Alice"}"#, fields: alice)
            let stream = try server.events(table, fields: alice)
            _ = try stream.next()
            let answer = try server.send("POST", "/cards/sign-out", fields: alice)
            #expect(answer.status == 204)
            #expect(answer.fields["set-cookie"]?.hasPrefix("cards=; Path=/;") == true)
            #expect(answer.fields["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try stream.next { _ in false } == nil)
            #expect(try server.send("GET", table + "/state", fields: alice).status == 401)
            #expect(try server.send("POST", "/cards/sign-out", fields: alice).status == 204)
        }
    }

    @Test func `has a moderator inspect, whose name takes the token of the start`() async throws {
        let room = CardRoom(moderators: ["Ann"])
        let token = try #require(room.moderators["Ann"])
        #expect(token.count == 32)
        try await CardGuests.serve(room) { guests in
            let server = guests.server
            for wrong in ["", ",\"token\":\"\"", ",\"token\":\"\(token.dropLast())0x\""] {
                let body = "{\"name\":\"Ann\"\(wrong)}"
                let answer = try post(server, "/cards/sign-in", body)
                #expect(answer.status == 403 && answer.problem == "moderators-name")
                #expect(answer.fields["set-cookie"] == nil)
            }
            let (ann, bob) = (try guests.signIn("Ann", token: token), try guests.signIn("Bob"))
            let table = try guests.openTable(seats: 2, as: bob)
            for path in [table + "/log", table + "/recording", "/inspect/timeline/"] {
                #expect(try server.send("GET", path, fields: ann).status == 200)
                #expect(try server.send("GET", path, fields: bob).status == 403)
                #expect(try server.send("GET", path).status == 403)
            }
            #expect(try server.send("GET", "/metrics", fields: ann).status == 403)
            #expect(try server.send("DELETE", table, fields: ann).status == 403)
        }
    }
}
