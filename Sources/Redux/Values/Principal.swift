/// The one on whose behalf an action is sent: the answer of a server's access control.
public struct Principal: Sendable {
    /// What is known of a principal, which all copies of it share: one is handed along with every
    /// request.
    private final class Identity: Sendable {
        let id: String?
        let roles: Set<String>

        init(_ id: String, _ roles: Set<String>) {
            self.id = id.isEmpty ? nil : id
            self.roles = roles
        }
    }

    /// Nil for one without a name and without roles.
    private let identity: Identity?

    /// The name, unique among principals: `alice`; nil for an anonymous one, who is equal to nobody that
    /// a state names. Only a name that may be nil itself lets them in: unwrap one of the two.
    public var id: String? { identity?.id }

    /// The roles that access control gave: `admin`.
    public var roles: Set<String> { identity?.roles ?? [] }

    /// A number that all copies of it share, and nothing else while one of them is held; 0 for one
    /// without a name and without roles.
    package var mark: UInt { identity.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0 }

    /// A client of a server that does not ask who it is.
    public static let anonymous = Principal(identity: nil)

    /// Nobody has asked who it is.
    public var isAnonymous: Bool { id == nil }
}

extension Principal: Hashable {
    /// A principal of this id; without characters it is none.
    public init(_ id: String, roles: Set<String> = []) {
        self.init(identity: id.isEmpty && roles.isEmpty ? nil : Identity(id, roles))
    }

    /// Both have the same id and the same roles.
    public static func == (left: Principal, right: Principal) -> Bool {
        left.identity === right.identity || left.id == right.id && left.roles == right.roles
    }

    /// Hashes the id and the roles.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(roles)
    }
}

extension Principal: Codable {
    private enum CodingKeys: CodingKey { case id, roles }

    /// Reads `{"id":"alice","roles":["admin"]}`; an anonymous one has the id null.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(String?.self, forKey: .id) ?? "",
            roles: try members.decodeIfPresent(Set<String>.self, forKey: .roles) ?? [])
    }

    /// Writes `{"id":"alice","roles":["admin"]}`; an anonymous one has the id null.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(roles, forKey: .roles)
    }
}

/// The one to whom a session is shown: what is seen may differ from viewer to viewer.
///
///     View("mine") { state, viewer in state.items.filter { $0.owner == viewer.id } }
public struct Viewer: Hashable, Sendable {
    /// The answer of access control; anonymous where nothing asks who a client is.
    public let principal: Principal
    /// The parameters of the query beside the view's name: `["id": "17"]` of
    /// `?view=item&id=17`. The view that stands for the state has none.
    public let arguments: [String: String]

    /// The principal's name; nil for an anonymous one.
    public var id: String? { principal.id }

    /// A principal that looks, with the arguments of its query.
    public init(_ principal: Principal, arguments: [String: String] = [:]) {
        self.principal = principal
        self.arguments = arguments
    }
}

/// The source of an entry.
public enum Origin: String, Sendable, Hashable {
    /// A client has sent it.
    case client
    /// An effect or a piece of work has reported it.
    case effect
    /// An alarm has sent it.
    case alarm
    /// The server's own code has said it.
    case server
    /// A client has set the state by hand.
    case inspector
    /// It is an entry of before that is shown again.
    case replay
}
