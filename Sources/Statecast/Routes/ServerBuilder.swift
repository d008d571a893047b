import Logging

/// Lists the parts of a server, one a line.
///
///     try Server(configuration) {
///         Served("/list", ShoppingApplication(shop: .corner, cards: cards))
///         Route(.post, "/sign-in", access: .open) { request in try await signIn(request) }
///     }
///
/// Parts that are listed elsewhere, be it one alone, are a property or a function with this mark:
///
///     @ServerBuilder var parts: [ServerPart] {
///         Route(.get, "/prices", access: .open) { _ in try .json(prices) }
///     }
@resultBuilder
public enum ServerBuilder {
    /// The parts in their order.
    public static func buildBlock(_ parts: [ServerPart]...) -> [ServerPart] {
        parts.flatMap { $0 }
    }

    /// One application.
    public static func buildExpression(_ application: Served) -> [ServerPart] {
        [ServerPart(served: application)]
    }

    /// One route.
    public static func buildExpression(_ route: Route) -> [ServerPart] {
        [ServerPart(route: route)]
    }

    /// Parts that are listed elsewhere.
    public static func buildExpression(_ parts: [ServerPart]) -> [ServerPart] { parts }

    /// Parts that are served on a condition.
    public static func buildOptional(_ parts: [ServerPart]?) -> [ServerPart] { parts ?? [] }

    /// One part or another.
    public static func buildEither(first parts: [ServerPart]) -> [ServerPart] { parts }

    /// One part or another.
    public static func buildEither(second parts: [ServerPart]) -> [ServerPart] { parts }

    /// A part for each element.
    public static func buildArray(_ parts: [[ServerPart]]) -> [ServerPart] { parts.flatMap { $0 } }
}

/// A part of a server: an application at its place, or a route of one's own. A ``ServerBuilder`` makes
/// it of these.
public struct ServerPart: Sendable {
    var served: Served?
    var route: Route?
    /// Runs before the server takes a connection.
    var begin: (@Sendable (Sessions, Logger) async throws -> Void)?
    /// Looks what other servers have done: once a second, and where one says so.
    var follow: (@Sendable () async -> Void)?
}
