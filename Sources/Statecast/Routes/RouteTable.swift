import HTTPMessages
import HTTPTypes

/// The own routes of a server by their paths.
struct RouteTable: Sendable {
    /// Those with more text in front come first.
    private var places: [RoutePlace] = []
    /// The names of the routes by their numbers: `POST /hooks/{name}`.
    let names: [String]

    /// No routes.
    init() {
        names = []
    }

    /// Throws where a route could never be asked for, or not told from another part of the server.
    ///
    /// - Parameter mounts: the paths of the applications, empty for `/`.
    init(_ routes: [Route], mounts: [String]) throws(ServerError) {
        names = routes.map(\.name)
        for (number, route) in routes.enumerated() {
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
            let entry = RoutePlace.Entry(method: method, number: number, route: route)
            try add(entry, at: path)
        }
        // Stable, so that the order does not depend on chance.
        places = places.enumerated().sorted { first, second in
            if first.element.path.precedes(second.element.path) { return true }
            if second.element.path.precedes(first.element.path) { return false }
            return first.offset < second.offset
        }.map(\.element)
    }

    private mutating func add(_ entry: RoutePlace.Entry, at path: RoutePath) throws(ServerError) {
        let shape = path.shape
        guard let index = places.firstIndex(where: { $0.path.shape == shape }) else {
            var place = RoutePlace(path)
            place.add(entry)
            return places.append(place)
        }
        guard places[index].path.text == path.text else {
            throw .badRoute(entry.route.name, "\(places[index].path.text) matches the same paths")
        }
        guard places[index].entry(for: entry.method) == nil else {
            throw .badRoute(entry.route.name, "two routes have this method and path")
        }
        places[index].add(entry)
    }

    private static func method(of route: Route) throws(ServerError) -> RequestMethod {
        guard route.bodyLimit >= 0 else {
            throw .badRoute(route.name, "a body has 0 bytes or more")
        }
        for type in route.accepting {
            let parts = type.split(separator: "/", omittingEmptySubsequences: false)
            let isType =
                parts.count == 2
                && parts.allSatisfy { part in
                    HTTPField.Name(String(part)) != nil
                }
            guard isType, type == type.lowercased() else {
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

    var isEmpty: Bool { places.isEmpty }

    /// The number of the place that a path names; nil for none.
    func find(_ path: Slice, in bytes: Span<UInt8>) -> Int? {
        places.firstIndex { $0.path.matches(path, in: bytes) }
    }

    subscript(place: Int) -> RoutePlace {
        precondition(places.indices.contains(place), "A place is found in its own table.")
        return places[place]
    }
}
