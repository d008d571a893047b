import Foundation
import Testing

@testable import MockUpstream

/// The noon at which the services of these tests start.
let noon = Date(timeIntervalSince1970: 1_800_000_000)

/// A service and the JSON of its answers.
struct Service {
    var service: MockService

    init(_ change: (inout MockConfiguration) -> Void = { _ in }) {
        var configuration = MockConfiguration()
        change(&configuration)
        service = MockService(configuration: configuration, now: noon)
    }

    mutating func answer(
        _ method: String, _ path: String, query: [String: String] = [:],
        authorization: String? = nil, body: String = ""
    ) -> MockAnswer {
        service.answer(
            MockRequest(
                method: method, path: path, query: query, authorization: authorization,
                body: Array(body.utf8)), now: noon)
    }

    mutating func get(_ path: String, _ query: [String: String] = [:]) throws -> Any {
        let answer = answer("GET", path, query: query)
        #expect(answer.status == 200, "\(path)")
        return try answer.value()
    }

    mutating func list(_ path: String, _ query: [String: String] = [:]) throws -> [[String: Any]] {
        try #require(get(path, query) as? [[String: Any]])
    }
}

extension MockAnswer {
    func value() throws -> Any {
        try JSONSerialization.jsonObject(with: Data(body))
    }

    func object() throws -> [String: Any] {
        try #require(value() as? [String: Any])
    }
}

@Suite struct MockServiceTests {
    @Test func `failures come at the configured rate, the same for the same seed`() {
        func failed(seed: UInt64) -> [Int] {
            var service = Service {
                $0.failureRate = 0.3
                $0.seed = seed
            }
            return (0..<1_000).filter { _ in service.answer("GET", "/episodes").status == 503 }
        }
        #expect(failed(seed: 1) == failed(seed: 1))
        #expect(failed(seed: 1) != failed(seed: 2))
        #expect((250...350).contains(failed(seed: 1).count))
    }

    @Test(arguments: [(0.0, 200), (1.0, 503)])
    func `at the ends of the rate nothing is left to chance`(_ rate: Double, _ status: Int) {
        var service = Service { $0.failureRate = rate }
        for _ in 0..<100 { #expect(service.answer("GET", "/places").status == status) }
        #expect(service.answer("GET", "/mock/requests").status == 200)
    }

    @Test(arguments: [
        ("/episodes", 1_000), ("/users/ada", 1_000), ("/location", 2_000), ("/places", 500),
        ("/ride-options", 1_000),
    ])
    func `delays are as documented, times the factor`(_ path: String, _ milliseconds: Int) {
        for factor in [0.0, 0.5, 1, 2] {
            var service = Service { $0.delay = factor }
            let delay = service.answer("GET", path).delay
            #expect(delay == .milliseconds(milliseconds) * factor)
        }
    }

    @Test func `a rule provokes as many failures as it says, then all is well`() {
        var service = Service()
        let rule = #"{"path":"/episodes","status":500,"count":2,"delayMilliseconds":7}"#
        #expect(service.answer("PUT", "/mock/failures", body: rule).status == 204)
        for status in [500, 500, 200] {
            let answer = service.answer("GET", "/episodes")
            #expect(answer.status == status)
            #expect(answer.delay == (status == 500 ? .milliseconds(7) : .seconds(1)))
        }
    }

    @Test func `rules fit by method and by the beginning of a path`() {
        var service = Service()
        let rules = """
            [{"path":"/episodes/*","method":"POST","status":502},
             {"path":"/users/ada","delayMilliseconds":0}]
            """
        #expect(service.answer("PUT", "/mock/failures", body: rules).status == 204)
        #expect(service.answer("GET", "/episodes/tin-harbour-2-3/comments").status == 200)
        let post = service.answer("POST", "/episodes/tin-harbour-2-3/comments", body: "{}")
        #expect(post.status == 502)
        let user = service.answer("GET", "/users/ada")
        #expect((user.status, user.delay) == (200, .zero))
    }

    @Test func `rules can be dropped`() {
        var service = Service()
        let rule = #"{"path":"/places","status":500}"#
        _ = service.answer("PUT", "/mock/failures", body: rule)
        #expect(service.answer("DELETE", "/mock/failures").status == 204)
        #expect(service.answer("GET", "/places").status == 200)
    }

    @Test(arguments: [
        ("", 400), ("{", 400), ("{}", 400), (#"{"path":"x"}"#, 422),
        (#"{"path":"/x","status":200}"#, 422), (#"{"path":"/x","delayMilliseconds":-1}"#, 422),
    ])
    func `a bad rule is refused`(_ body: String, _ status: Int) {
        var service = Service()
        #expect(service.answer("PUT", "/mock/failures", body: body).status == status)
    }

    @Test func `rules have a limit`() {
        var service = Service()
        let rules = Array(repeating: #"{"path":"/x"}"#, count: MockService.ruleLimit + 1)
        let body = "[\(rules.joined(separator: ","))]"
        #expect(service.answer("PUT", "/mock/failures", body: body).status == 422)
    }

    @Test func `requests are counted by path, failed ones included`() throws {
        var service = Service { $0.failureRate = 0.5 }
        for _ in 0..<3 { _ = service.answer("GET", "/episodes", query: ["query": "tin"]) }
        _ = service.answer("GET", "/users/ada")
        let counts = try #require(service.get("/mock/requests") as? [String: Int])
        #expect(counts == ["/episodes": 3, "/users/ada": 1])
        #expect(service.answer("DELETE", "/mock/requests").status == 204)
        #expect(try service.get("/mock/requests") as? [String: Int] == [:])
    }

    @Test func `counting is bounded`() throws {
        var service = Service()
        for index in 0..<(MockService.countedPathLimit + 5) {
            _ = service.answer("GET", "/\(index)")
        }
        let counts = try #require(service.get("/mock/requests") as? [String: Int])
        #expect(counts.count == MockService.countedPathLimit + 1)
        #expect(counts["*"] == 5)
    }

    @Test(arguments: [
        "/", "/x", "/episodes/none", "/episodes/none/comments", "/episodes/a/b/c",
        "/users", "/users/none", "/users/none/comments", "/pictures/users/ada.svg",
        "/mock/none",
    ])
    func `what is not there is 404 with a problem body`(_ path: String) throws {
        var service = Service()
        let answer = service.answer("GET", path)
        #expect(answer.status == 404)
        #expect(answer.contentType == "application/problem+json")
        let problem = try answer.object()
        #expect(problem["status"] as? Int == 404)
        #expect(problem["type"] as? String == "/problems/not-found")
    }

    @Test(arguments: [
        ("POST", "/episodes"), ("DELETE", "/users/ada"), ("GET", "/login"), ("GET", "/rides"),
        ("POST", "/location"), ("POST", "/mock/requests"),
        ("DELETE", "/episodes/tin-harbour-2-3/comments"),
    ])
    func `a wrong method is 405 with Allow`(_ method: String, _ path: String) {
        var service = Service()
        let answer = service.answer(method, path)
        #expect(answer.status == 405)
        #expect(answer.fields.contains { $0.name == "Allow" && !$0.value.isEmpty })
    }

    @Test(arguments: [
        ("/episodes", "GET, HEAD"), ("/rides", "POST"),
        ("/mock/failures", "GET, HEAD, PUT, DELETE"),
        ("/episodes/tin-harbour-2-3/comments", "GET, HEAD, POST"),
    ])
    func `OPTIONS tells what is allowed, and is not counted`(_ path: String, _ allow: String)
        throws
    {
        var service = Service { $0.failureRate = 1 }
        let answer = service.answer("OPTIONS", path)
        #expect(answer.status == 204)
        #expect(answer.fields.first { $0.name == "Allow" }?.value == allow)
        #expect(try service.get("/mock/requests") as? [String: Int] == [:])
    }
}
