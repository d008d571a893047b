import HTTPServer
import Sessions

extension Token {
    /// The version that a parameter of a query names, `17` or the token of a session, `k3f9-17`; throws
    /// where it names none of the session's.
    ///
    /// - Parameter oldest: the oldest version that the session has; a token of an earlier epoch is
    ///   from before it.
    static func version(
        _ text: String, of name: String, epoch: String, oldest: UInt64
    ) throws(ProblemDetails) -> UInt64 {
        if let token = Token(text) {
            guard token.epoch == epoch else { throw .versionGone(oldest: oldest) }
            return token.version
        }
        guard let token = Token("e-\(text)") else {
            throw .badParameter(name, "a version or a token is expected.")
        }
        return token.version
    }
}

extension SessionLimits {
    /// The `wait` of a GET and the `settle` of a POST, seconds, a fraction allowed; throws where it is
    /// no number from 0 to the limit.
    func wait(_ text: String, of name: String) throws(ProblemDetails) -> Duration {
        let (limit, _) = waitDuration.components
        guard let seconds = Double(text), seconds >= 0, seconds <= Double(limit) else {
            throw .badParameter(name, "seconds from 0 to \(limit).")
        }
        return .seconds(seconds)
    }
}
