import Redux

/// The roles that principals have on one server.
struct Roles {
    /// The roles by which the server itself decides; access control may give others.
    enum Role: String, CaseIterable {
        /// Sees states and events.
        case observe
        /// Sends actions.
        case act
        /// Sees what happens inside: what runs, and what others did.
        case inspect
        /// Lists, ends and changes sessions.
        case admin
    }

    /// The roles of everybody; nil where access control gives each principal its own.
    private let common: Set<String>?

    init(_ configuration: ServerConfiguration) {
        let roles: [Role] = configuration.isLoopback ? Role.allCases : [.observe, .act]
        common = configuration.authorize == nil ? Set(roles.map(\.rawValue)) : nil
    }

    /// The roles of a principal: those that access control gave it. Where nothing asks who clients
    /// are, they have all roles on loopback, and beyond it those to see and to act.
    func roles(of principal: Principal) -> Set<String> { common ?? principal.roles }

    /// A principal has a role.
    func has(_ role: Role, _ principal: Principal) -> Bool {
        roles(of: principal).contains(role.rawValue)
    }
}
