package import Redux

/// The result of one action of a batch whose actions were all taken.
package enum ActionResult: Sendable, Hashable {
    /// The action became entries, mostly one, up to a version.
    case entries(last: UInt64, count: UInt64, changed: Bool)
    /// A middleware has delayed the action.
    case delayed
    /// A middleware has dropped the action.
    case dropped

    package init(_ outcome: Outcome) {
        switch outcome {
        case .accepted(let first, let last, let changed):
            precondition(first <= last, "The entries of an action have an order.")
            self = .entries(last: last, count: last - first + 1, changed: changed)
        case .dropped: self = .dropped
        case .delayed: self = .delayed
        case .rejected, .refused: preconditionFailure("A refusal is no result.")
        case .queued: preconditionFailure("A request finds its session's store at rest.")
        }
    }
}
