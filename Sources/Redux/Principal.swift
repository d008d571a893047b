/// The one on whose behalf an action is sent: the answer of a server's access control.
public struct Principal: Codable, Hashable, Sendable {
    /// The name, unique among principals: `alice`.
    public let id: String
    /// The roles that access control gave: `admin`.
    public let roles: Set<String>

    /// A principal of this id.
    public init(_ id: String, roles: Set<String> = []) {
        self.id = id
        self.roles = roles
    }

    /// A client of a server that does not ask who it is.
    public static let anonymous = Principal("")

    /// Nobody has asked who it is.
    public var isAnonymous: Bool { id.isEmpty }
}
