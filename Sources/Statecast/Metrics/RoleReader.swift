import Redux

/// Finds the labels of principals on one loop: mostly that of the one before.
struct RoleReader {
    private let labels: RoleLabels
    private var roles: Set<String> = []
    private var number = RoleLabels.none

    init(_ labels: RoleLabels) { self.labels = labels }

    /// The number of a principal's label; nil: the server itself.
    mutating func number(of principal: Principal?) -> RoleLabels.Number {
        guard let principal else { return RoleLabels.server }
        if principal.isAnonymous { return RoleLabels.anonymous }
        let roles = principal.roles
        if roles != self.roles {
            self.roles = roles
            number = labels.number(of: roles)
        }
        return number
    }
}
