import HTTPServer
import Sessions

/// A version in a query: `17`, or the token of a session, `k3f9-17`.
enum VersionParameter {
    /// The version that a parameter names; throws where it names none of the session's.
    ///
    /// - Parameter oldest: the oldest version that the session has; a token of an earlier epoch is
    ///   from before it.
    static func parse(
        _ text: String, of name: String, epoch: String, oldest: UInt64
    ) throws(ProblemDetails) -> UInt64 {
        if let token = Token(text) {
            guard token.epoch == epoch else {
                throw VersionParameter.gone(oldest: oldest)
            }
            return token.version
        }
        guard let token = Token("e-\(text)") else {
            throw .badParameter(name, "a version or a token is expected.")
        }
        return token.version
    }

    /// The problem of a version that the session does not know any more.
    static func gone(oldest: UInt64) -> ProblemDetails {
        ProblemDetails(
            code: "version-gone",
            detail: "That version is not kept; the oldest one that is has number \(oldest).",
            members: [.number("oldest", Int(clamping: oldest))])
    }

    /// The problem of a version whose state the application cannot read.
    static let notShown = ProblemDetails(
        code: "version-not-shown",
        detail: "The application cannot read the state of that version to make a view of it.")
}
