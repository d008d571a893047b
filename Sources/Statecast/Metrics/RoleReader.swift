import Redux

/// Finds the labels of principals on one loop: mostly that of the one before.
final class RoleReader {
    private let labels: RoleLabels
    private var last = Principal.anonymous
    private var lastNumber = RoleLabels.anonymous

    init(_ labels: RoleLabels) { self.labels = labels }

    /// The number of a principal's label; nil: the server itself.
    @inline(__always)
    func number(of principal: Principal?) -> RoleLabels.Number {
        guard let principal else { return RoleLabels.server }
        return principal == last ? lastNumber : find(principal)
    }

    private func find(_ principal: Principal) -> RoleLabels.Number {
        let roles = principal.roles
        if principal.isAnonymous {
            lastNumber = RoleLabels.anonymous
        } else if last.isAnonymous || roles != last.roles {
            lastNumber = labels.number(of: roles)
        }
        last = principal
        return lastNumber
    }
}
