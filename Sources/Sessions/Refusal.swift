public import Journaling
public import Redux
public import StateCoding

/// The reason why a session does not do what it is asked for. What it holds is kept apart: of nearly
/// all outcomes it is no part.
@usableFromInline
package indirect enum Refusal: Error, Sendable, Hashable {
    /// The body holds no action.
    case malformed(ActionFailure)
    /// The body holds no state.
    case unreadable(DecodingFailure)
    /// The client's condition on the version does not hold.
    case preconditionFailed
    /// The application says no; `index` tells which action of a batch it is about.
    case rejected(Rejection, index: Int?)
    /// The idempotency key was used with another body.
    case keyReused
    /// The session remembers no more idempotency keys for now.
    case tooManyKeys
    /// The server holds far more memory than it may.
    case shortOfMemory
    /// Nothing is accepted any more, for this reason.
    case frozen(String)
    /// The session plays a recording.
    case replayed
    /// An action, or the state, cannot be written as JSON.
    case notEncodable(EncodingFailure)
    /// The state would be larger than allowed.
    case stateTooLarge(limit: Int)
    /// The state is about as large as it may be, and is not measured again for so many seconds.
    case stateAtLimit(seconds: Int)
    /// The journal did not keep the entries.
    case notKept(JournalFailure)
    /// It is not known whether the entries are kept.
    case unknown
    /// Another server has the session.
    case moved
    /// The session has ended.
    case ended

    /// The reason that the outcome of an append is for its request; nil where the entries are kept.
    init?(_ outcome: AppendOutcome) {
        switch outcome {
        case .kept: return nil
        case .refused(let failure): self = .notKept(failure)
        case .stale: self = .moved
        case .unknown: self = .unknown
        }
    }

    /// Entries are lost on which the answer would rest.
    package var isLoss: Bool {
        switch self {
        case .notKept, .unknown, .moved, .ended: true
        default: false
        }
    }
}
