import HTTPMessages
import HTTPServer
import Redux
import Sockets

/// Asks who sends a request: the `authorize` of a server, or that of one application or route.
struct AccessControl: Sendable {
    private let authorize: @Sendable (AccessRequest) -> Access

    /// Nil where nothing asks.
    init?(_ authorize: (@Sendable (AccessRequest) -> Access)?) {
        guard let authorize else { return nil }
        self.authorize = authorize
    }

    /// The principal that sends a request; throws where access control refuses it.
    ///
    /// - Parameter callers: access control sees no cookie, and no password that a browser remembers,
    ///   where any page may have them sent.
    func principal(
        of head: RequestHead, in bytes: Span<UInt8>, about subject: AccessSubject,
        callers: Route.Callers, from address: @autoclosure () -> IPAddress
    ) throws(ProblemAnswer) -> Principal {
        guard var request = AccessRequest(head, in: bytes, about: subject, from: address()) else {
            throw ProblemAnswer(.undecodablePath)
        }
        if callers == .anywhere {
            request.cookie = nil
            if let known = request.authorization, BrowserCredentials.areRemembered(known) {
                request.authorization = nil
            }
        }
        switch authorize(request) {
        case .granted(let principal): return principal
        case .unauthenticated: throw ProblemAnswer(.unauthenticated, "WWW-Authenticate", "Bearer")
        case .forbidden: throw ProblemAnswer(.forbidden)
        }
    }

    /// The principal that an open stream is for now; nil where access control has withdrawn it, or
    /// the role to observe.
    ///
    /// - Parameter request: the one that the stream has answered.
    func principal(ofStream request: AccessRequest) -> Principal? {
        var request = request
        request.purpose = .openStream
        guard case .granted(let principal) = authorize(request),
            principal.roles.contains(Role.observe)
        else { return nil }
        return principal
    }
}
