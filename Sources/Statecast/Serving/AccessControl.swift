import HTTPMessages
import HTTPServer
import Redux
import Sockets

/// Asks a server's `authorize` who sends a request.
struct AccessControl {
    /// Nil where nothing asks.
    let authorize: (@Sendable (AccessRequest) -> Access)?

    /// The principal that sends a request, nil where nothing asks who it is; throws where access
    /// control refuses it.
    ///
    /// - Parameter callers: access control sees no cookie, and no password that a browser remembers,
    ///   where any page may have them sent.
    func principal(
        of head: RequestHead, in bytes: Span<UInt8>, callers: Route.Callers,
        from address: @autoclosure () -> IPAddress
    ) throws(ProblemAnswer) -> Principal? {
        guard let authorize else { return nil }
        guard var request = AccessRequest(head, in: bytes, from: address()) else {
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
}
