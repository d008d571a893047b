import HTTPMessages
import HTTPServer
import Redux
import Sockets

extension ServerConfiguration {
    /// The principal that sends a request, anonymous where nothing asks who it is; throws where
    /// access control refuses it.
    func principal(
        of head: RequestHead, in bytes: Span<UInt8>, from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> Principal {
        guard let authorize else { return .anonymous }
        guard let request = AccessRequest(head, in: bytes, from: address()) else {
            throw .undecodablePath
        }
        switch authorize(request) {
        case .granted(let principal): return principal
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .forbidden
        }
    }
}
