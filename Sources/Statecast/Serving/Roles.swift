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

    /// The roles of everybody where no access control gives each principal its own.
    private let common: Set<String>
    private let access: AccessPlan

    init(_ configuration: ServerConfiguration, _ access: AccessPlan) {
        let roles: [Role] = configuration.isLoopback ? Role.allCases : [.observe, .act]
        common = Set(roles.map(\.rawValue))
        self.access = access
    }

    /// The roles of a principal in an application: those that access control gave it. Where nothing
    /// asks who clients are, they have all roles on loopback, and beyond it those to see and to act.
    func roles(of principal: Principal, inMount index: Int) -> Set<String> {
        access.control(ofMount: index) == nil ? common : principal.roles
    }

    /// Throws where the one who asks for a file does not have a role.
    ///
    /// - Parameter principal: nil where nothing asks who asks for files.
    func require(_ role: Role, ofReader principal: Principal?) throws(ProblemAnswer) {
        guard (principal?.roles ?? common).contains(role.rawValue) else {
            throw ProblemAnswer(.forbidden)
        }
    }

    /// Throws where the one who sends a request does not have a role.
    func require(_ role: Role, of request: SessionRequest) throws(ProblemAnswer) {
        try require(role, of: request.principal, inMount: request.mount)
    }

    /// Throws where a principal does not have a role.
    func require(
        _ role: Role, of principal: Principal, inMount index: Int
    ) throws(ProblemAnswer) {
        guard roles(of: principal, inMount: index).contains(role.rawValue) else {
            throw ProblemAnswer(.forbidden)
        }
    }
}
