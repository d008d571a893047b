internal import FoundationEssentials
internal import StateCoding

/// An answer as a value, and how long it is held back; thrown where a request is refused.
struct MockAnswer: Error {
    var status = 200
    var contentType = "application/json"
    /// Fields beside Content-Type, in order.
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var delay: Duration = .zero

    /// A value as JSON, dates in ISO 8601 with milliseconds.
    static func json(_ value: some Encodable, status: Int = 200) -> MockAnswer {
        var answer = MockAnswer(status: status)
        do {
            try StateEncoder().encode(value, into: &answer.body)
        } catch {
            return MockAnswer(status: 500, contentType: "text/plain", body: Array("\(error)".utf8))
        }
        return answer
    }

    /// RFC 9457: `{"detail":…,"status":…,"title":…,"type":"/problems/<code>"}`.
    static func problem(_ status: Int, _ code: String, _ detail: String) -> MockAnswer {
        let problem = Problem(
            type: "/problems/\(code)", title: code.split(separator: "-").joined(separator: " "),
            status: status, detail: detail)
        var answer = json(problem, status: status)
        answer.contentType = "application/problem+json"
        return answer
    }

    /// No body.
    static let noContent = MockAnswer(status: 204)

    /// 404, for what is not there.
    static func unknown(_ what: String) -> MockAnswer {
        .problem(404, "not-found", "There is no \(what).")
    }

    /// 405 with what would be allowed.
    static func notAllowed(_ methods: String) -> MockAnswer {
        var answer = problem(405, "method-not-allowed", "This resource answers \(methods).")
        answer.fields = [("Allow", methods)]
        return answer
    }

    private struct Problem: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
    }
}
