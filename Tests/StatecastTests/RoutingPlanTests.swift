import HTTPMessages
import HTTPServer
import Testing

@testable import Statecast

@Suite struct `The plan of a request` {
    private let mounts = ["/counter/more", "/counter", ""].map { Array($0.utf8) }

    private func plan(
        _ line: String, _ fields: String = "", mounts: [[UInt8]]? = nil
    ) throws -> (plan: RequestPlan, head: RequestHead, bytes: [UInt8]) {
        let bytes = Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
        var parser = RequestParser(limits: RequestLimits())
        #expect(try parser.parse(bytes.span), "a head")
        let plan = RequestedResource.plan(
            parser.head, in: bytes.span, mounts: mounts ?? self.mounts, RouteTable())
        return (plan, parser.head, bytes)
    }

    /// The plan as a text: `state 1 demo`.
    private func told(_ path: String, mounts: [[UInt8]]? = nil) throws -> String {
        let (plan, _, bytes) = try plan("GET \(path)", mounts: mounts)
        let name = plan.name.string(in: bytes.span)
        if plan.resource.isOfSession { return "\(plan.resource) \(plan.place) \(name)" }
        switch plan.resource {
        case .sessions, .replays, .schema, .own: return "\(plan.resource) \(plan.place)"
        case .problem: return "problem \(name)"
        default: return "\(plan.resource)"
        }
    }

    /// The decision about a head: the methods for OPTIONS, the refusal's code and field, or
    /// `goes on`.
    private func decision(_ line: String, _ fields: String = "") throws -> String {
        let (plan, head, bytes) = try plan(line, fields)
        do throws(ProblemDetails) {
            try plan.check(head, in: bytes.span, RouteTable())
            return head.method == .options ? plan.allowedMethods(head, RouteTable()) : "goes on"
        } catch {
            let field = error.field.joined(separator: ": ")
            return field.isEmpty ? error.code : "\(error.code) \(field)"
        }
    }

    @Test(arguments: [
        ("/counter/sessions", "sessions 1"), ("/counter/more/sessions", "sessions 0"),
        ("/sessions", "sessions 2"), ("/counter/sessions/demo", "description 1 demo"),
        ("/counter/sessions/demo/state", "state 1 demo"),
        ("/counter/sessions/demo/actions", "actions 1 demo"),
        ("/counter/sessions/demo/events", "events 1 demo"),
        ("/counter/sessions/demo/log", "log 1 demo"),
        ("/counter/sessions/demo/recording", "recording 1 demo"),
        ("/counter/sessions/demo/replay", "replay 1 demo"),
        ("/sessions/demo/state", "state 2 demo"),
        ("/counter/sessions/demo/state/", "unknown 1 demo"),
        ("/counter/sessions/demo/states", "unknown 1 demo"),
        ("/counter/sessions/demo/", "unknown 1 demo"),
        ("/counter/sessions/", "description 1 "),
        ("/counter/schema", "schema 1"), ("/schema", "schema 2"), ("/counter/schema/", "file"),
        ("/counter/sessionsx", "file"), ("/counterx/sessions", "file"),
        ("/livez", "alive"), ("/LIVEZ", "file"), ("/Metrics", "file"), ("/readyz", "ready"),
        ("/metrics", "metrics"),
        ("/problems/frozen", "problem frozen"), ("/problems/", "file"),
        ("/", "file"), ("/counter/", "file"), ("/counter", "file"),
    ])
    func `names a resource, or a file`(path: String, expected: String) throws {
        #expect(try told(path) == expected)
    }

    @Test(arguments: [
        ("/counter/sessions", "/counter/sessions"), ("/sessions/demo", "/sessions/{id}"),
        ("/counter/more/sessions/demo/state", "/counter/more/sessions/{id}/state"),
        ("/counter/sessions/demo/actions", "/counter/sessions/{id}/actions"),
        ("/counter/sessions/demo/events", "/counter/sessions/{id}/events"),
        ("/counter/sessions/demo/log", "/counter/sessions/{id}/log"),
        ("/sessions/demo/recording", "/sessions/{id}/recording"),
        ("/sessions/demo/replay", "/sessions/{id}/replay"),
        ("/counter/sessions/demo/demo", "/counter/sessions/{id}/{unknown}"),
        ("/problems/frozen", "/problems/{code}"), ("/livez", "/livez"), ("/readyz", "/readyz"),
        ("/metrics", "/metrics"), ("/counter/", "/{file}"),
    ])
    func `is told to the log without what only its client knows`(
        path: String, template: String
    ) throws {
        let plan = try plan("GET \(path)").plan
        #expect(plan.template(mounts: mounts, RouteTable()) == template)
    }

    @Test func `of a place where no application is names no session`() throws {
        #expect(try told("/sessions/demo/state", mounts: [Array("/counter".utf8)]) == "file")
    }

    @Test(arguments: [
        ("GET /counter/sessions/a", "goes on"), ("HEAD /counter/sessions/a", "goes on"),
        ("PUT /counter/sessions/a", "goes on"), ("DELETE /counter/sessions/a", "goes on"),
        ("POST /counter/sessions/a", "method-not-allowed Allow: GET, HEAD, PUT, DELETE, OPTIONS"),
        ("OPTIONS /counter/sessions/a", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("GET /counter/sessions/a/state", "goes on"),
        ("PUT /counter/sessions/a/state", "json-expected Accept: application/json"),
        ("POST /counter/sessions/a/state", "method-not-allowed Allow: GET, HEAD, PUT, OPTIONS"),
        ("GET /counter/sessions/a/log", "goes on"),
        ("PUT /counter/sessions/a/log", "method-not-allowed Allow: GET, HEAD, OPTIONS"),
        ("HEAD /counter/sessions/a/recording", "goes on"),
        ("OPTIONS /counter/sessions/a/recording", "GET, HEAD, OPTIONS"),
        ("GET /counter/sessions/a/replay", "goes on"),
        ("POST /counter/sessions/a/replay", "json-expected Accept: application/json"),
        ("PUT /counter/sessions/a/replay", "method-not-allowed Allow: GET, HEAD, POST, OPTIONS"),
        (
            "POST /counter/sessions?replay=1x",
            "media-type-not-accepted Accept: application/x-ndjson"
        ),
        ("HEAD /counter/sessions/a/events", "goes on"),
        ("OPTIONS /counter/sessions/a/events", "GET, HEAD, OPTIONS"),
        ("GET /counter/sessions/a/actions", "method-not-allowed Allow: POST, OPTIONS"),
        ("POST /counter/sessions/a/actions", "json-expected Accept: application/json"),
        ("OPTIONS /counter/sessions/a/actions", "POST, OPTIONS"),
        ("GET /counter/sessions/a/other", "not-found"),
        ("OPTIONS /counter/sessions/a/other", "not-found"),
        ("POST /counter/sessions", "goes on"),
        ("GET /counter/sessions", "goes on"),
        ("PUT /counter/sessions", "method-not-allowed Allow: GET, HEAD, POST, OPTIONS"),
        ("OPTIONS /counter/sessions", "GET, HEAD, POST, OPTIONS"),
        ("GET /livez", "goes on"),
        ("POST /metrics", "method-not-allowed Allow: GET, HEAD, OPTIONS"),
        ("GET /problems/frozen", "goes on"),
        ("DELETE /index.html", "method-not-allowed Allow: GET, HEAD, OPTIONS"),
        ("OPTIONS *", "GET, HEAD, POST, PUT, DELETE, OPTIONS"),
        ("TRACE /counter/sessions/a", "method-not-implemented"),
        ("BREW /livez", "method-not-implemented"),
    ])
    func `follows from its method and path alone`(line: String, expected: String) throws {
        #expect(try decision(line) == expected)
    }
}
