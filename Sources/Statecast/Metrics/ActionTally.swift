import Redux
import Sessions
import StateCoding

/// Counts the actions of one application's sessions on one loop.
final class ActionTally {
    private let total: ActionCounts
    private let recent = RecentCounts()
    private let roles: RoleReader

    init(typeCount: Int, _ labels: RoleLabels) {
        total = ActionCounts(typeCount: typeCount, roleCount: RoleLabels.count)
        roles = RoleReader(labels)
    }

    /// Takes over what was counted lately; answers with the counts of all actions up to now.
    func drainedCounts() -> ActionCounts {
        recent.drain { total.add($1, at: $0) }
        return total
    }

    /// Counts one action.
    ///
    /// - Parameters:
    ///   - type: the number of its type; nil: that is not known.
    ///   - principal: the one who sent it, or who has caused the work that reports it; nil: the server.
    func count(
        _ type: Int?, by principal: Principal?, _ origin: Origin, _ fate: ActionCounts.Fate
    ) {
        let place = total.place(of: type ?? -1, role: roles.number(of: principal), origin, fate)
        recent.count(place) { total.add($1, at: $0) }
    }

    /// Counts an action, or the actions of a batch.
    ///
    /// - Parameters:
    ///   - type: the number of the action's type.
    ///   - types: the numbers of the types of a batch.
    @inline(__always)
    func count(
        _ submission: Submission, type: @autoclosure () -> Int?, types: @autoclosure () -> [Int],
        by principal: Principal?, _ origin: Origin
    ) {
        switch submission {
        case .single(let outcome): count(type(), by: principal, origin, .init(outcome))
        case .batch(let outcome): count(outcome, types(), by: principal, origin)
        }
    }

    private func count(
        _ outcome: BatchOutcome, _ types: [Int], by principal: Principal?, _ origin: Origin
    ) {
        for (index, type) in types.enumerated() {
            let fate: ActionCounts.Fate =
                switch outcome {
                case .accepted(let outcomes) where index < outcomes.count: .init(outcomes[index])
                case .rejected(index: index, _): .rejected
                case .accepted, .rejected, .refused: .refused
                }
            count(type, by: principal, origin, fate)
        }
    }
}
