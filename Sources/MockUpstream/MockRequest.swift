internal import StateCoding

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
