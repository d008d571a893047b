import HTTPMessages
import HTTPServer

/// The conditions of a request on what is there (RFC 9110 §13.2.2).
enum Preconditions {
    /// Throws where a condition does not hold, with the tag that is there: If-Match for all
    /// requests, If-None-Match for those that would change something. The state's own If-None-Match
    /// asks for 304.
    static func check(
        _ head: RequestHead, in bytes: Span<UInt8>, tag: @autoclosure () -> [UInt8]
    ) throws(ProblemDetails) {
        let isUnsafe = !head.method.isSafe
        guard head.value(.ifMatch) != nil || isUnsafe && head.value(.ifNoneMatch) != nil else {
            return
        }
        let tag = tag()
        let ifMatch = EntityTag.condition(.ifMatch, of: head, in: bytes, current: tag)
        if let ifMatch, ifMatch != .matches {
            throw .preconditionFailed.with(tag: tag)
        }
        guard isUnsafe,
            EntityTag.condition(.ifNoneMatch, of: head, in: bytes, current: tag) == .matches
        else { return }
        let problem = head.method == .put ? ProblemDetails.sessionExists : .preconditionFailed
        throw problem.with(tag: tag)
    }
}
