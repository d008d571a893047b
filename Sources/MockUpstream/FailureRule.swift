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
/// `GET /mock/requests` answers how often each path was asked for, `DELETE` forgets it:
///
///     {"/episodes":3,"/episodes/tin-harbour-2-3":1}
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
