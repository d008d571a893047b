import HTTPMessages
import HTTPServer
import HTTPTypes

/// The routes of one path, one a method.
struct RoutePlace: Sendable {
    /// A route and its number among all of the server.
    struct Entry: Sendable {
        let method: RequestMethod
        let number: Int
        let route: Route
    }

    let path: RoutePath
    private var entries: [Entry] = []

    init(_ path: RoutePath) {
        self.path = path
    }

    /// Adds a route of a method that none has yet.
    mutating func add(_ entry: Entry) {
        precondition(self.entry(for: entry.method) == nil, "A method has one route at a path.")
        entries.append(entry)
    }

    /// The route that answers a method; that of GET answers HEAD as well.
    func entry(for method: RequestMethod) -> Entry? {
        let wanted = method == .head ? .get : method
        return entries.first { $0.method == wanted }
    }

    /// The methods that are answered here, for Allow.
    var allowedMethods: String {
        let names = entries.map { $0.method == .get ? "GET, HEAD" : $0.route.method.rawValue }
        return (names + ["OPTIONS"]).joined(separator: ", ")
    }

    /// The answer to OPTIONS, the methods of the path; nil for methods that it has. Throws where the
    /// head alone shows that a request is refused.
    func options(_ head: RequestHead, in bytes: Span<UInt8>) throws(ProblemAnswer) -> String? {
        if head.method == .options { return allowedMethods }
        guard let route = entry(for: head.method)?.route else {
            throw .methodNotAllowed(allow: allowedMethods)
        }
        guard head.hasBody, !Self.isAccepted(head, in: bytes, by: route) else { return nil }
        let accepted = route.accepting.joined(separator: ", ")
        throw ProblemAnswer(.mediaTypeNotAccepted(accepted), "Accept", accepted)
    }

    private static func isAccepted(
        _ head: RequestHead, in bytes: Span<UInt8>, by route: Route
    ) -> Bool {
        if route.accepting.contains("*/*") { return true }
        guard let type = head.value(.contentType) else { return false }
        for accepted in route.accepting {
            if MediaType.isEqual(type, to: accepted, in: bytes) { return true }
            guard accepted.hasSuffix("/*") else { continue }
            let start = type.range.prefix(accepted.utf8.count - 1)
            guard start.count < type.range.count else { continue }
            if Slice(start).isEqual(to: String(accepted.dropLast()), in: bytes) { return true }
        }
        return false
    }
}
