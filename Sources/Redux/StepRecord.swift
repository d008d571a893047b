/// The part of a step that its entry keeps, so that the reducer does the same again.
struct StepRecord: Sendable {
    var by: Principal?
    var at: Timestamp
    /// The bits that its random numbers come from, where it drew any.
    var seed: Seed?
    /// The ids that it made, where these do not follow from its token.
    var ids: [String]
}
