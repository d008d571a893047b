public import Redux

/// The answer of access control.
public enum Access: Sendable, Hashable {
    /// Go on, on behalf of this principal.
    case granted(Principal)
    /// 401: say who you are.
    case unauthenticated
    /// 403: you may not.
    case forbidden
}
