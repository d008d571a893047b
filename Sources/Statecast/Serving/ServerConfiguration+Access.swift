import HTTPMessages
import HTTPServer
import Redux
import Sockets

extension ServerConfiguration {
    /// The principal that sends a request, nil where nothing asks who it is; throws where access
    /// control refuses it.
    ///
    /// - Parameter callers: access control sees no cookie where any page may have it sent.
    func principal(
        of head: RequestHead, in bytes: Span<UInt8>, callers: Route.Callers,
        from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> Principal? {
        guard let authorize else { return nil }
        guard var request = AccessRequest(head, in: bytes, from: address()) else {
            throw .undecodablePath
        }
        if callers == .anywhere { request.cookie = nil }
        switch authorize(request) {
        case .granted(let principal): return principal
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .forbidden
        }
    }
}
