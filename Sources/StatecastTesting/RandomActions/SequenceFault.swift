/// The reason why a sequence of actions is not as it should be.
struct SequenceFault: Sendable {
    /// A kind of fault: a shorter sequence is the same one where it ends in the same kind.
    enum Kind: Sendable {
        /// The test's closure has failed.
        case invariant
        case impureReducer, doubledWork, lostState, failingView, refusedState
        /// The application's own code has recorded an issue.
        case recordedIssue
    }

    let kind: Kind
    /// A sentence about it.
    let text: String
    /// The error that the test's closure has thrown, if it has.
    var error: (any Error)?

    /// The test's closure has recorded an issue, or thrown an error.
    static func invariant(_ error: (any Error)?) -> SequenceFault {
        SequenceFault(kind: .invariant, text: "", error: error)
    }
}
