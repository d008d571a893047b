internal import FoundationEssentials

/// Everything behind the socket: routes, data and failures, as one value on the loop's thread.
struct MockService {
    /// The mock counts so many different paths by name, and all others as `*`.
    static let countedPathLimit = 10_000

    private let delay: Double
    private var failures: Failures
    private var counts: [String: Int] = [:]
    private var episodes: EpisodesAPI
    private var rides: RidesAPI

    init(configuration: MockConfiguration, now: Date) {
        delay = configuration.delay
        failures = Failures(rate: configuration.failureRate, seed: configuration.seed)
        episodes = EpisodesAPI(start: now)
        rides = RidesAPI(seed: configuration.seed)
    }

    /// Answers a request; the answer holds the delay after which it is sent. A request changes the
    /// data at once.
    mutating func answer(_ request: MockRequest, now: Date) -> MockAnswer {
        guard request.method != "OPTIONS" else { return options(request, now: now) }
        if request.parts.first == "mock" { return route(request, now: now) }
        count(request.path)
        let decision = failures.decide(request)
        var answer =
            decision.status.map { .problem($0, "provoked", "This failure was asked for.") }
            ?? route(request, now: now)
        answer.delay = decision.delay ?? usualDelay(of: request) * delay
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
        case ("GET", "/mock/failures"): return .json(failures.rules)
        case ("PUT", "/mock/failures"): try addRules(request)
        case ("DELETE", "/mock/failures"): failures.removeAll()
        case (_, "/mock/requests"): return .notAllowed("GET, HEAD, DELETE")
        case (_, "/mock/failures"): return .notAllowed("GET, HEAD, PUT, DELETE")
        default: return .unknown("resource \(request.path)")
        }
        return .noContent
    }

    private mutating func addRules(_ request: MockRequest) throws(MockAnswer) {
        let first = request.body.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let form = "A rule or an array of rules"
        let rules: [FailureRule] =
            first == UInt8(ascii: "[")
            ? try request.decodeBody(form) : [try request.decodeBody(form)]
        guard rules.allSatisfy(\.isLawful) else {
            throw .problem(422, "bad-rule", "A path with /, status 400–599, delay up to 600000.")
        }
        guard failures.add(rules) else {
            throw .problem(422, "too-many-rules", "No more than \(Failures.ruleLimit) rules.")
        }
    }
}
