public import Redux

/// The outcome of a posted body, as its store tells it.
@usableFromInline
package enum Submission {
    case single(Outcome)
    case batch(BatchOutcome)

    /// The journal did not take the entries.
    var isRefused: Bool {
        switch self {
        case .single(.refused), .batch(.refused): true
        default: false
        }
    }

    /// The outcome for the client.
    ///
    /// - Parameters:
    ///   - head: the version by which the actions were decided.
    ///   - refusal: the reason why the entries were not appended, if they were not.
    func result(at head: UInt64, _ refusal: Refusal?) -> Result<Decision, Refusal> {
        switch self {
        case .single(.rejected(let rejection)): .failure(.rejected(rejection, index: nil))
        case .batch(.rejected(let index, let rejection)):
            .failure(.rejected(rejection, index: index))
        case .single(.refused), .batch(.refused): .failure(refusal ?? .lost(.unknown))
        case .single(let outcome): .success(Decision(outcome, version: head))
        case .batch(.accepted(let outcomes)):
            .success(Decision(outcomes.map { ActionResult($0) }, version: head))
        }
    }
}
