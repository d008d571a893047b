/// A request as the routes see it.
struct MockRequest: Sendable {
    var method: String
    /// Without query, percent-decoded.
    var path: String
    /// The last value of each parameter, decoded.
    var query: [String: String] = [:]
    var authorization: String?
    var body: [UInt8] = []

    /// The path's parts: `["episodes", "tin-harbour-2-3", "comments"]`.
    var parts: [String] {
        path.split(separator: "/").map(String.init)
    }
}
