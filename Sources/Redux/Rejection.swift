/// A reducer's or a middleware's no, with its reason: an outcome, not a failure.
public struct Rejection: Error, Sendable, Hashable {
    /// An action is wrong in itself, or comes at the wrong time.
    public enum Kind: String, Sendable, Hashable {
        /// It would be wrong at any time (422 on the wire).
        case invalid
        /// The state does not allow it now (409 on the wire).
        case conflict
    }

    /// Stable and in kebab case, for programs: `"empty-comment"`.
    public var code: String
    /// A sentence for people.
    public var message: String
    /// Wrong in itself, or at the wrong time.
    public var kind: Kind

    /// A no.
    public init(code: String, message: String, kind: Kind = .invalid) {
        self.code = code
        self.message = message
        self.kind = kind
    }
}

extension Rejection {
    static let tooManyActions = Rejection(
        code: "too-many-queued", message: "Too many actions wait.", kind: .conflict)
    static let chainCut = Rejection(
        code: "chain-cut", message: "Too much follows from one action.", kind: .conflict)
    static let tooManyEffects = Rejection(
        code: "too-many-effects", message: "Too many effects are under way.", kind: .conflict)
}
