import Redux
import Synchronization

/// Finds the labels of principals on one loop: mostly that of the one before.
final class RoleReader {
    private let labels: RoleLabels
    /// The principal found last. It is held, so that no other one comes to have its mark.
    private var last = Principal.anonymous
    // Atomic, as no access to them is checked then: one loop alone reads and writes them.
    private let lastMark = Atomic<UInt>(0)
    private let lastNumber = Atomic(RoleLabels.anonymous)

    init(_ labels: RoleLabels) { self.labels = labels }

    /// The number of a principal's label; nil: the server itself.
    @inline(__always)
    func number(of principal: Principal?) -> RoleLabels.Number {
        guard let principal else { return RoleLabels.server }
        let mark = principal.mark
        if mark == lastMark.load(ordering: .relaxed) {
            return lastNumber.load(ordering: .relaxed)
        }
        return find(principal, mark)
    }

    private func find(_ principal: Principal, _ mark: UInt) -> RoleLabels.Number {
        let number: RoleLabels.Number
        if principal.isAnonymous {
            number = RoleLabels.anonymous
        } else if !last.isAnonymous, principal.roles == last.roles {
            number = lastNumber.load(ordering: .relaxed)
        } else {
            number = labels.number(of: principal.roles)
        }
        last = principal
        lastMark.store(mark, ordering: .relaxed)
        lastNumber.store(number, ordering: .relaxed)
        return number
    }
}
