/// The part of a session that knows its application's types, behind few calls.
protocol SessionStore: AnyObject {
    var version: UInt64 { get }
    var headVersion: UInt64 { get }
    /// The last committed version that changed the state.
    var lastChange: UInt64 { get }
    /// Whether no effect, no delayed action and no undecided or undurable entry is under way.
    var isIdle: Bool { get }
    var runningEffects: [RunningEffect] { get }
    var knownTypes: [String] { get }

    /// Decides about the actions in a body. With `commits`, what is accepted and what follows from
    /// it is committed before this returns.
    func submit(
        _ body: Span<UInt8>, batchLimit: Int, commits: Bool, in memory: ActionMemory
    ) throws(ActionFailure) -> Submission
    /// Decides about what follows committed entries; false where nothing does.
    func stageFollowUps() -> Bool
    /// The decided entries behind a version, as the journal keeps them.
    func entries(after version: UInt64, at time: Timestamp) throws(EncodingFailure) -> [[UInt8]]
    func commit(through version: UInt64)
    func revert()
    func startEffects()
    func cancelEffects()

    /// Whether nothing that a version started is still under way.
    func isSettled(_ root: UInt64) -> Bool
    /// Told when that becomes so.
    func onSettled(_ tell: @escaping (UInt64) -> Void)

    /// Appends the committed state's JSON; copies from the memory what has not changed.
    func encodeState(
        into output: inout [UInt8], reusing memory: EncodingMemory?
    ) throws(EncodingFailure)
    /// Whether the application has a view of this name.
    func hasView(_ name: String) -> Bool
    /// Appends a view's JSON; false where it is out of scope.
    func encodeView(
        _ name: String, _ arguments: [String: String], into output: inout [UInt8]
    ) throws(EncodingFailure) -> Bool
}

/// What became of a posted body.
@usableFromInline
enum Submission {
    case single(Outcome)
    case batch(BatchOutcome)
}
