/// A part of a server: an application at its place, or a route of one's own.
public struct ServerPart: Sendable {
    enum Content: Sendable {
        case application(Served)
        case route(Route)
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    /// The application, if it is one.
    var served: Served? {
        if case .application(let served) = content { served } else { nil }
    }

    /// The route, if it is one.
    var route: Route? {
        if case .route(let route) = content { route } else { nil }
    }
}
