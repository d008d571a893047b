import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Sessions

/// The own routes of a server by their paths.
struct RouteTable: Sendable {
    /// Those with more text in front come first.
    private(set) var places: [RoutePlace] = []
    /// The names of the routes by their numbers: `POST /hooks/{name}`.
    let names: [String]

    /// No routes.
    init() { names = [] }

    /// Throws where a route could never be asked for, or not told from another part of the server.
    ///
    /// - Parameter mounts: the paths of the applications, empty for `/`.
    init(_ routes: [Route], mounts: [String]) throws(ServerError) {
        names = routes.map(\.name)
        for (number, route) in routes.enumerated() {
            if let fault = route.fault { throw .badRoute(route.name, fault) }
            let method = try Self.method(of: route)
            guard let path = RoutePath(route.path) else {
                throw .badRoute(
                    route.name,
                    "a path is /hooks/{name}: segments of letters, digits and ._~-, or "
                        + "parameters in braces, each name once")
            }
            if let reserved = Self.reserved(path, mounts) {
                throw .badRoute(route.name, "\(reserved) is the server's own")
            }
            if mounts.contains(where: path.matches) {
                throw .badRoute(route.name, "an application has this path")
            }
            try add((method, number, route), at: path)
        }
        places.sort { $0.path.precedes($1.path) }
    }

    private mutating func add(_ entry: RoutePlace.Entry, at path: RoutePath) throws(ServerError) {
        guard let index = places.firstIndex(where: { $0.path.texts == path.texts }) else {
            return places.append(RoutePlace(path: path, entries: [entry]))
        }
        guard places[index].path.text == path.text else {
            throw .badRoute(entry.route.name, "\(places[index].path.text) matches the same paths")
        }
        guard places[index].entry(for: entry.method) == nil else {
            throw .badRoute(entry.route.name, "two routes have this method and path")
        }
        places[index].entries.append(entry)
    }

    private static func method(of route: Route) throws(ServerError) -> RequestMethod {
        guard route.bodyLimit >= 0 else {
            throw .badRoute(route.name, "a body has 0 bytes or more")
        }
        for type in route.accepting {
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ HTTPField.Name(String($0)) != nil }),
                type == type.lowercased()
            else {
                throw .badRoute(route.name, "\(type) is no media type such as application/json")
            }
        }
        switch route.method {
        case .get: return .get
        case .post: return .post
        case .put: return .put
        case .patch: return .patch
        case .delete: return .delete
        default: throw .badRoute(route.name, "a route has GET, POST, PUT, PATCH or DELETE")
        }
    }

    /// The resource of the server's own that a path names, or lies below.
    private static func reserved(_ path: RoutePath, _ mounts: [String]) -> String? {
        let own = mounts.flatMap { ["\($0)/sessions", "\($0)/schema"] }
        return (own + ["/livez", "/readyz", "/metrics", "/problems", "/client"]).first { name in
            path.text == name || path.text.hasPrefix(name + "/")
        }
    }

    /// The number of the place that a path names; nil for none. A parameter in front of all stands for no
    /// page of the server's own.
    func find(_ path: Slice, in bytes: Span<UInt8>) -> Int? {
        places.firstIndex { place in
            place.path.matches(path, in: bytes)
                && (place.path.texts.first != .some(nil)
                    || !Self.pages.contains { path.rest(behind: $0, in: bytes) != nil })
        }
    }

    private static let pages = [Array("/client/".utf8), Array("/inspect/".utf8)]
}

/// The routes of one path, one a method.
struct RoutePlace: Sendable {
    /// A route, its method, and its number among all of the server.
    typealias Entry = (method: RequestMethod, number: Int, route: Route)

    let path: RoutePath
    fileprivate(set) var entries: [Entry]

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

    /// The route of a request. Throws where the head alone shows that it is refused.
    func check(_ head: RequestHead, in bytes: Span<UInt8>) throws(ProblemDetails) {
        guard let route = entry(for: head.method)?.route else {
            throw .methodNotAllowed(allow: allowedMethods)
        }
        let type = head.value(.contentType)
        let isAccepted = route.accepting.contains { accepted in
            guard accepted != "*/*", let type else { return accepted == "*/*" }
            guard accepted.hasSuffix("/*"), type.length >= accepted.utf8.count else {
                return type.isMediaType(accepted, in: bytes)
            }
            let start = Slice(type.range.prefix(accepted.utf8.count - 1))
            return start.isEqual(to: String(accepted.dropLast()), in: bytes)
        }
        guard isAccepted || !head.hasBody else {
            throw .mediaTypeNotAccepted(route.accepting.joined(separator: ", "))
        }
    }
}

/// The path of a route: segments, of which some are parameters.
///
///     /hooks/{name}      matches /hooks/mail, not /hooks, /hooks/ or /hooks/mail/more
struct RoutePath: Sendable {
    private static let segmentLimit = 32

    /// As its author wrote it.
    let text: String
    /// The texts of the segments, nil for a parameter: paths that have the same match the same.
    let texts: [[UInt8]?]
    /// The names of the parameters, in their order.
    private let names: [String]

    /// Nil where the text is no path.
    init?(_ text: String) {
        guard text.first == "/" else { return nil }
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var texts: [[UInt8]?] = []
        var names: [String] = []
        for part in text == "/" ? [] : parts {
            let isParameter = part.first == "{" && part.last == "}"
            let name = isParameter ? part.dropFirst().dropLast() : part
            guard !name.isEmpty, name.utf8.allSatisfy(SessionID.isAllowed),
                isParameter ? !names.contains(String(name)) : name != "." && name != ".."
            else { return nil }
            if isParameter { names.append(String(name)) }
            texts.append(isParameter ? nil : Array(name.utf8))
        }
        guard texts.count <= Self.segmentLimit else { return nil }
        (self.text, self.texts, self.names) = (text, texts, names)
    }

    /// The order in which paths are tried: text comes before a parameter, from the left. Paths of
    /// different lengths, which no request shares, are ordered by these.
    func precedes(_ other: RoutePath) -> Bool {
        func key(_ path: RoutePath) -> [Int] {
            [path.texts.count] + path.texts.map { $0 == nil ? 1 : 0 }
        }
        return key(self).lexicographicallyPrecedes(key(other))
    }

    /// The path of a request has these segments.
    func matches(_ path: Slice, in bytes: Span<UInt8>) -> Bool {
        if texts.isEmpty { return path.length <= 1 }
        var rest = path.range
        for text in texts {
            guard let part = Self.removeSegment(from: &rest, in: bytes) else { return false }
            guard let text else { continue }
            guard bytes.extracting(part).elementsEqual(text.span) else { return false }
        }
        return rest.isEmpty
    }

    /// The place of an application is one of its paths: `/list`, or nothing for the root.
    func matches(_ mount: String) -> Bool {
        let bytes = Array(mount.utf8)
        return matches(Slice(0..<bytes.count), in: bytes.span)
    }

    /// The values of the parameters in a path that matches; nil where one is no text, or would be
    /// more or less than one segment: `..`, or something with a slash or a zero byte in it.
    func parameters(of path: Slice, in bytes: Span<UInt8>) -> [String: String]? {
        var values: [String] = []
        var rest = path.range
        for text in texts {
            guard let part = Self.removeSegment(from: &rest, in: bytes) else { return nil }
            guard text == nil else { continue }
            guard let value = PercentCoding.decoded(Slice(part).array(in: bytes)), value != ".",
                value != "..", !value.utf8.contains(UInt8(ascii: "/")), !value.utf8.contains(0)
            else { return nil }
            values.append(value)
        }
        return Dictionary(uniqueKeysWithValues: zip(names, values))
    }

    /// Takes off a slash and the segment behind it.
    private static func removeSegment(
        from rest: inout Range<Int>, in bytes: Span<UInt8>
    ) -> Range<Int>? {
        guard let slash = rest.first, bytes[slash] == UInt8(ascii: "/") else { return nil }
        var end = slash + 1
        while end < rest.upperBound, bytes[end] != UInt8(ascii: "/") { end += 1 }
        guard end > slash + 1 else { return nil }
        rest = end..<rest.upperBound
        return slash + 1..<end
    }
}
