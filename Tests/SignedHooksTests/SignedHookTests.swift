import HTTPServer
import Statecast
import StatecastTesting
import Testing

@testable import SignedHooks

@Suite struct `A signed hook` {
    private static let body = Array(#"{"paid":7}"#.utf8)
    private static let sent = Timestamp(milliseconds: 1_764_150_000_000)
    private static let timed = SignedHook("Signature", secrets: [Secret("new"), Secret("old")])
    private static let plain = SignedHook(
        "X-Hub-Signature-256", secrets: [Secret("It's a Secret to Everybody")], tolerance: nil)

    @Test func `signs as openssl and the services of the world do`() {
        // printf '1764150000.{"paid":7}' | openssl dgst -sha256 -hmac new
        let code = "13e02ade2d6852b10c431b40522946ac757dbf2605f68e55547d9ef03e87fb87"
        #expect(Self.timed.signature(of: Self.body, at: Self.sent) == "t=1764150000,v1=\(code)")
        // The example of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
        #expect(
            Self.plain.signature(of: Array("Hello, World!".utf8))
                == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
    }

    private static let old = SignedHook("Signature", secrets: [Secret("old")])
        .signature(of: body, at: sent)
    private static let code = old.suffix(64)

    @Test(
        arguments: [
            (old, nil),
            (old.uppercased().replacing("T=", with: "t=").replacing("V1", with: "v1"), nil),
            ("t=1764150000, v1=00,v1=\(code), v0=x", nil),
            ("", "unsigned"), ("\(code)", "unsigned"), ("v1=\(code)", "unsigned"),
            ("t=1764150000", "unsigned"), ("t=soon,v1=\(code)", "unsigned"),
            ("t=1764150000,\(old)", "unsigned"), ("t=99999999999999999999,v1=\(code)", "unsigned"),
            ("t=1764150001,v1=\(code)", "wrong-signature"),
            ("t=\(Int64.min),v1=\(code)", "wrong-signature"),
            ("t=1764150000,v1=", "wrong-signature"), ("t=1764150000,v1=é", "wrong-signature"),
            ("t=1764150000,v1=\(code.dropLast())", "wrong-signature"),
        ] as [(String, String?)])
    func `takes a signature by any of its secrets, and nothing else`(value: String, code: String?) {
        #expect(Self.timed.refusal(of: [value], over: Self.body, at: Self.sent)?.code == code)
        #expect(
            Self.timed.refusal(of: [value, value], over: Self.body, at: Self.sent)?.code
                == "unsigned")
    }

    @Test(
        arguments: [(300_000, nil), (-300_000, nil), (300_001, "late"), (-300_001, "late")]
            as [(Int64, String?)])
    func `keeps to its tolerance`(milliseconds: Int64, refusal: String?) {
        let now = Timestamp(milliseconds: Self.sent.milliseconds + milliseconds)
        let problem = Self.timed.refusal(of: [Self.old], over: Self.body, at: now)
        #expect(problem?.code == refusal.map { "\($0)-signature" })
    }

    @Test func `answers for a handler that would otherwise be reached by anybody`() async throws {
        let clock = ManualClock()
        let hook = SignedHook(
            "Signature", secrets: [Secret("new")], environment: clock.environment())
        let route = hook.route("/hooks/{shop}") { request in
            try .json([request.parameters["shop"], String(decoding: request.body, as: UTF8.self)])
        }
        try await TestServer.run(serving: { ServerBuilder.buildExpression(route) }) { server in
            let text = String(decoding: Self.body, as: UTF8.self)
            func send(_ fields: [String: String]) throws -> TestAnswer {
                let type = ["Content-Type": "application/json"]
                return try server.send(
                    "POST", "/hooks/corner", fields: fields.merging(type) { $1 }, body: text)
            }
            let signed = ["signature": hook.signature(of: Self.body)]
            let taken = try send(signed)
            #expect(taken.status == 200 && taken.body.contains("corner"))
            let unsigned = try send([:])
            #expect(unsigned.status == 401 && unsigned.problem == "unsigned")
            #expect(unsigned.fields["www-authenticate"] == "Signature")
            clock.advance(by: .seconds(300))
            #expect(try send(signed).status == 200)
            clock.advance(by: .milliseconds(1))
            let late = try send(signed)
            #expect(late.status == 403 && late.problem == "late-signature")
            let wrong = try send(["signature": hook.signature(of: Self.body + [0x20])])
            #expect(wrong.status == 403 && wrong.problem == "wrong-signature")
        }
    }

    @Test(arguments: [
        SignedHook("Signature", secrets: []), SignedHook("Signature", secrets: [Secret("")]),
        SignedHook("No field", secrets: [Secret("s")]),
    ])
    func `that anybody could sign for is told at the start`(hook: SignedHook) {
        #expect(throws: ServerError.self) {
            _ = try Server { hook.route("/hook") { _ in RouteResponse(.noContent) } }
        }
    }
}
