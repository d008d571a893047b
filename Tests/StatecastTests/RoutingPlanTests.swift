import HTTPMessages
import HTTPServer
import Testing

@testable import Statecast

@Suite struct `The plan of a request` {
    private let mounts = [Array("/counter".utf8)]

    /// The decision about a head: the methods for OPTIONS, the refusal's code and field, or
    /// `goes on`.
    private func decision(_ line: String, _ fields: String = "") -> String {
        let bytes = Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n".utf8)
        guard let head = parsed(bytes) else { return "no head" }
        let plan = RequestedResource.plan(
            head.path, in: bytes.span, mounts: mounts, RouteTable())
        do throws(ProblemDetails) {
            try plan.check(head, in: bytes.span, RouteTable())
            return head.method == .options ? plan.allowedMethods(head, RouteTable()) : "goes on"
        } catch {
            let field = error.field.joined(separator: ": ")
            return field.isEmpty ? error.code : "\(error.code) \(field)"
        }
    }

    private func parsed(_ bytes: [UInt8]) -> RequestHead? {
        var parser = RequestParser(limits: RequestLimits())
        return (try? parser.parse(bytes.span)) == true ? parser.head : nil
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
        ("GET /counter/sessions", "method-not-allowed Allow: POST, OPTIONS"),
        ("PUT /counter/sessions", "method-not-allowed Allow: POST, OPTIONS"),
        ("OPTIONS /counter/sessions", "POST, OPTIONS"),
        ("GET /livez", "goes on"),
        ("POST /metrics", "method-not-allowed Allow: GET, HEAD, OPTIONS"),
        ("GET /problems/frozen", "goes on"),
        ("DELETE /index.html", "method-not-allowed Allow: GET, HEAD, OPTIONS"),
        ("OPTIONS *", "GET, HEAD, POST, PUT, DELETE, OPTIONS"),
        ("TRACE /counter/sessions/a", "method-not-implemented"),
        ("BREW /livez", "method-not-implemented"),
    ])
    func `follows from its method and path alone`(line: String, expected: String) {
        #expect(decision(line) == expected)
    }

    @Test func `takes actions as JSON alone`() {
        let line = "POST /counter/sessions/a/actions"
        #expect(decision(line, "Content-Type: application/json\r\n") == "goes on")
        #expect(
            decision(line, "Content-Type: text/plain\r\n")
                == "json-expected Accept: application/json")
    }
}
