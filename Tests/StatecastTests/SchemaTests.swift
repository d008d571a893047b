import Logging
import Statecast
import StatecastTesting
import Testing

/// A vault that hides a code, and shows what it was given.
private struct SafeApplication: PlainApplication {
    struct State: StateValue {
        var owner = Owner()
        var count = 0
    }

    struct Owner: StateValue {
        var pin = Secret("swordfish")
        var hint: String?
    }

    struct Hidden: Encodable, Sendable { var secretName: String }

    enum Action: ActionGroup {
        case opened(pin: Secret<String>)
        case told(Hint)
        case session(SessionFact)
    }

    enum Hint: ActionGroup { case given(String), taken }

    let initialState = State()
    var rejectionCodes: [String] { ["wrong-pin"] }
    var views: Views<State> {
        Views(
            state: View { $0.owner }, View("count") { $0.count },
            View("odd") { _ in
                Hidden(secretName: "x")
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        throw Rejection("wrong-pin", "No.")
    }
}

@Suite struct `The schema of an application` {
    private static func serve(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configure(&configuration)
        let server = try Server(configuration) {
            Served(
                "/safe", SafeApplication(),
                options: SessionOptions(examples: [
                    .told(.given("a fish")), .session(.restored), .opened(pin: Secret("swordfish")),
                ]))
        }
        try server.start()
        do {
            try await TestServer.runBlocking { try await body(TestServer(server)) }
            await server.shutDown()
        } catch {
            await server.shutDown()
            throw error
        }
    }

    @Test func `tells what clients see and send, and nothing hidden`() async throws {
        try await Self.serve { server in
            let answer = try server.send("GET", "/safe/schema")
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "application/schema+json")
            #expect(
                answer.body.hasPrefix(
                    #"{"$schema":"https://json-schema.org/draft/2020-12/schema","#))
            for part in [
                #"{"pin":{"enum":["<redacted>"]},"hint":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#,
                #""views":{"description":"What `?view=` shows, by the names.","type":"object""#,
                #""properties":{"type":{"enum":["opened"]},"payload":{"type":"object","properties":{"pin":{"type":"string"}},"required":["pin"]}"#,
                #"{"type":{"enum":["told/given"]},"payload":{"type":"string"},"#,
                #""examples":[{"type":"told/given","payload":"a fish"},{"type":"opened","payload":{"pin":"<redacted>"}}]"#,
                #""rejection":{"description":"The codes of /problems/rejected/{code}.","enum":["wrong-pin"]}"#,
                #""odd":{"$comment":"Not told"}"#,
            ] { #expect(answer.body.contains(part), "\(part) in \(answer.body)") }
            for part in ["swordfish", "secretName", "Hidden", "session/", "SafeApplicationState\""]
            {
                #expect(!answer.body.contains(part), "\(part)")
            }
        }
    }

    @Test func `is asked for once, by its tag, and compressed`() async throws {
        try await Self.serve { server in
            let first = try server.send("GET", "/safe/schema")
            let tag = try #require(first.fields["etag"])
            let again = try server.send(
                "GET", "/safe/schema", fields: ["If-None-Match": "W/\(tag)"])
            #expect(again.status == 304 && again.body == "")
            let coded = try server.send(
                "GET", "/safe/schema", fields: ["Accept-Encoding": "gzip"])
            #expect(coded.fields["content-encoding"] == "gzip")
            #expect(try server.send("HEAD", "/safe/schema").status == 200)
            let posted = try server.send("POST", "/safe/schema")
            #expect(posted.status == 405)
            #expect(posted.fields["allow"] == "GET, HEAD, OPTIONS")
            #expect(try server.send("GET", "/safe/schemas").status == 404)
        }
    }

    @Test func `has the names that a refused action is told`() async throws {
        try await Self.serve { server in
            #expect(try server.send("PUT", "/safe/sessions/a").status == 201)
            let refusal = try server.send(
                "POST", "/safe/sessions/a/actions", fields: ["Content-Type": "application/json"],
                body: #"{"type":"told/give"}"#)
            #expect(refusal.status == 422 && refusal.body.contains(#""known":["told/given"]"#))
            let schema = try server.send("GET", "/safe/schema").body
            #expect(schema.contains(#"{"enum":["told/given"]}"#))
        }
    }

    @Test func `that has gaps is told at the start`() throws {
        let lines = LogLines()
        var configuration = TestServer.configuration
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        let server = try Server(configuration) { Served("/safe", SafeApplication()) }
        let warning = lines.all.filter { $0.contains("schema of /safe") }
        #expect(warning.count == 1 && warning[0].contains("Hidden"))
        #expect(try server.types(of: "safe").contains("odd: unknown;"))
        #expect(try server.types() == server.types(of: "/safe"))
        let error = #expect(throws: ServerError.self) { try server.schema(of: "/other") }
        #expect(error?.description.hasSuffix("say one of /safe.") == true)
    }
}
