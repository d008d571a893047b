import HTTPMessages
import HTTPServer
import Sockets

extension ServerConfiguration {
    /// The name of the principal that sends a request, empty where nothing asks who it is; throws
    /// where access control refuses it.
    func principal(
        of head: RequestHead, in bytes: Span<UInt8>, from address: @autoclosure () -> IPAddress
    ) throws(ProblemDetails) -> String {
        guard let authorize else { return "" }
        guard let request = AccessRequest(head, in: bytes, from: address()) else {
            throw .undecodablePath
        }
        switch authorize(request) {
        case .granted(let principal): return principal.name
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .forbidden
        }
    }
}
