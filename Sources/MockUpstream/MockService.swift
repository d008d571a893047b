internal import Bytes
internal import FoundationEssentials
internal import HTTPServer
internal import HTTPTypes
internal import StateCoding

/// Everything behind the socket: routes, data and failures, as one value on the loop's thread.
struct MockService {
    /// The mock counts so many different paths by name, and all others as `*`.
    static let countedPathLimit = 10_000
    /// The mock keeps no more rules than this.
    static let ruleLimit = 1_000

    private let configuration: MockConfiguration
    private var rules: [FailureRule] = []
    private var generator: SplitMix
    private var counts: [String: Int] = [:]
    private var episodes: EpisodesAPI
    private var rides: RidesAPI

    init(configuration: MockConfiguration, now: Date) {
        self.configuration = configuration
        generator = SplitMix(seed: configuration.seed)
        episodes = EpisodesAPI(start: now)
        rides = RidesAPI(seed: configuration.seed)
    }

    /// Answers a request; the answer holds the delay after which it is sent. A request changes the
    /// data at once.
    mutating func answer(_ request: MockRequest, now: Date) -> MockAnswer {
        guard request.method != "OPTIONS" else { return options(request, now: now) }
        if request.parts.first == "mock" { return route(request, now: now) }
        count(request.path)
        if let key = request.key { count("\(request.path) \(key)") }
        let decision = decide(request)
        var answer =
            decision.status.map { .problem($0, "provoked", "This failure was asked for.") }
            ?? route(request, now: now)
        answer.delay = decision.delay ?? usualDelay(of: request) * configuration.delay
        return answer
    }

    /// Answers OPTIONS: the refusal of a method that no resource knows names those that are allowed.
    private mutating func options(_ request: MockRequest, now: Date) -> MockAnswer {
        let answer = route(request, now: now)
        return answer.status == 405 ? MockAnswer(status: 204, fields: answer.fields) : answer
    }

    private mutating func route(_ request: MockRequest, now: Date) -> MockAnswer {
        do throws(MockAnswer) {
            return switch request.parts.first {
            case "mock": try control(request)
            case "episodes", "users": try episodes.answer(request, now: now)
            default: try rides.answer(request)
            }
        } catch {
            return error
        }
    }

    /// Decides which requests fail: those that rules name, and of the others a drawn part. Each
    /// request draws once, whether a rule fits or not, so that rules do not shift what the seed
    /// decides for the requests after them.
    private mutating func decide(_ request: MockRequest) -> (status: Int?, delay: Duration?) {
        let isDrawn = Double.random(in: 0..<1, using: &generator) < configuration.failureRate
        guard let index = rules.firstIndex(where: { $0.fits(request) }) else {
            return (isDrawn ? 503 : nil, nil)
        }
        let rule = rules[index]
        let left = (rule.count ?? 1) - 1
        if left > 0 { rules[index].count = left } else { rules.remove(at: index) }
        return (rule.status, rule.delayMilliseconds.map { .milliseconds($0) })
    }

    private func usualDelay(of request: MockRequest) -> Duration {
        switch request.parts.first {
        case "location": .seconds(2)
        case "places": .milliseconds(500)
        case "rides": .seconds(3)
        default: .seconds(1)
        }
    }

    private mutating func count(_ path: String) {
        let isNew = counts[path] == nil
        let name = isNew && counts.count >= Self.countedPathLimit ? "*" : path
        counts[name, default: 0] += 1
    }

    private mutating func control(_ request: MockRequest) throws(MockAnswer) -> MockAnswer {
        switch (request.method, request.path) {
        case ("GET", "/mock/requests"): return .json(counts)
        case ("DELETE", "/mock/requests"): counts = [:]
        case ("GET", "/mock/failures"): return .json(rules)
        case ("PUT", "/mock/failures"): try addRules(request)
        case ("DELETE", "/mock/failures"): rules = []
        case (_, "/mock/requests"): return .notAllowed("GET, HEAD, DELETE")
        case (_, "/mock/failures"): return .notAllowed("GET, HEAD, PUT, DELETE")
        default: return .unknown("resource \(request.path)")
        }
        return .noContent
    }

    private mutating func addRules(_ request: MockRequest) throws(MockAnswer) {
        let first = request.body.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let form = "A rule or an array of rules"
        let more: [FailureRule] =
            first == UInt8(ascii: "[")
            ? try request.decodeBody(form) : [try request.decodeBody(form)]
        guard more.allSatisfy(\.isLawful) else {
            throw .problem(422, "bad-rule", "A path with /, status 400–599, delay up to 600000.")
        }
        guard rules.count + more.count <= Self.ruleLimit else {
            throw .problem(422, "too-many-rules", "No more than \(Self.ruleLimit) rules.")
        }
        rules += more.filter { $0.count ?? 1 > 0 }
    }
}

/// A failure on order, so that a test can provoke a case instead of waiting for it.
///
/// `PUT /mock/failures` takes one rule or an array of them and answers 204; rules add up,
/// `DELETE /mock/failures` drops them all. The first rule that fits a request is used up by it.
///
///     {"path":"/episodes","status":503,"count":1}                       the next list fails
///     {"path":"/episodes/*","method":"GET","delayMilliseconds":5000}    slow, but good
///     {"path":"/location","status":500,"count":2,"delayMilliseconds":0} fails twice, at once
///
/// `path` is compared without the query; a `*` at its end stands for any rest. `method`: any if
/// absent. Without `status` the request is answered as usual. `count` is 1 if absent.
/// `delayMilliseconds` stands in for the configured delay.
///
/// `GET /mock/requests` answers how often each path was asked for, and with each `Idempotency-Key`,
/// `DELETE` forgets it:
///
///     {"/episodes":3,"/login":1,"/login k3f9-2/sign-in":1}
struct FailureRule: Codable, Sendable, Hashable {
    /// The path, or its beginning and a `*`.
    var path: String
    /// The method, if it matters.
    var method: String?
    /// 400 to 599; nil stands for the usual answer.
    var status: Int?
    /// The rule is used up by so many requests; 1 if absent.
    var count: Int?
    /// This delay stands in for the configured one.
    var delayMilliseconds: Int?

    /// True where the members have lawful values.
    var isLawful: Bool {
        (400...599).contains(status ?? 400) && (0...600_000).contains(delayMilliseconds ?? 0)
            && path.hasPrefix("/")
    }

    func fits(_ request: MockRequest) -> Bool {
        guard method ?? request.method == request.method else { return false }
        return path.hasSuffix("*")
            ? request.path.hasPrefix(path.dropLast())
            : request.path == path
    }
}

/// A request as the routes see it.
struct MockRequest: Sendable {
    var method: String
    /// Without query, percent-decoded.
    var path: String
    /// The last value of each parameter, decoded.
    var query: [String: String] = [:]
    var authorization: String?
    /// The value of `Idempotency-Key`.
    var key: String?
    var body: [UInt8] = []

    /// The path's parts: `["episodes", "tin-harbour-2-3", "comments"]`.
    var parts: [String] {
        path.split(separator: "/").map(String.init)
    }

    /// The value that the body spells; `form` tells what it should be.
    func decodeBody<Value: Decodable>(_ form: String) throws(MockAnswer) -> Value {
        do {
            return try StateDecoder().decode(Value.self, from: body.span)
        } catch {
            throw .problem(400, "bad-body", "\(form): \(error)")
        }
    }

    /// Throws where the method is another than GET.
    func onlyGet() throws(MockAnswer) {
        guard method == "GET" else { throw .notAllowed("GET, HEAD") }
    }
}

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

    static func problem(_ status: Int, _ code: String, _ detail: String) -> MockAnswer {
        var answer = MockAnswer(status: status, contentType: ProblemDetails.mediaType)
        ProblemDetails(.init(code: status), code: code, detail: detail).write(to: &answer.body)
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
}
