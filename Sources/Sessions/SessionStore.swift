package import Redux
package import StateCoding

/// The part of a session that knows its application's types, behind few calls.
package protocol SessionStore: AnyObject {
    /// Tells it apart from an earlier store of the same session, whose effects may still report.
    var incarnation: UInt64 { get }
    var version: UInt64 { get }
    var headVersion: UInt64 { get }
    /// The last committed version that changed the state.
    var lastChange: UInt64 { get }
    /// No effect, no delayed action and no undecided or undurable entry is under way.
    var isIdle: Bool { get }
    var runningEffects: [RunningEffect] { get }
    var knownTypes: [String] { get }

    /// Decides about the actions in a body that a principal has sent, hands what is accepted to the
    /// journal, and commits what it keeps, with the actions that these cause.
    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, batchLimit: Int,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(ActionFailure) -> Submission
    /// The same for actions that committed entries and effects have dispatched.
    func submitCausedActions(_ append: StagedBatch.Append)
    func commit(through version: UInt64)
    /// Forgets what is decided behind a version.
    func revert(to version: UInt64)
    /// Starts the effects of the state that the session begins with; what they dispatch waits for `submitCausedActions`.
    func startEffects()
    func cancelEffects()

    /// Nothing that a version started is still under way.
    func isSettled(_ root: UInt64) -> Bool
    /// Has a function called when that becomes so for a version.
    func onSettled(_ notify: @escaping (UInt64) -> Void)

    /// Appends the committed state's JSON; copies from the memory what has not changed.
    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure)
    /// The application has a view of this name.
    func hasView(_ name: String) -> Bool
    /// Appends a view's JSON; false where it is out of scope.
    func encodeView(
        _ name: String, _ arguments: [String: String], into output: inout [UInt8]
    ) throws(EncodingFailure) -> Bool
}
