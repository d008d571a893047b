package import Journaling
package import Redux
package import StateCoding

/// The part of a session that shows a state and knows its application's types, behind few calls.
package protocol ShowsState: AnyObject {
    var version: UInt64 { get }
    /// The last committed version that changed the state.
    var lastChange: UInt64 { get }
    /// The version of the application's schema that its states are of.
    var schemaVersion: Int { get }
    /// It shows what another server does, and perhaps not each state that clients were shown there.
    var isFollowing: Bool { get }
    /// Lets go of what can be made again from the committed state.
    func dropCaches()

    /// Appends the committed state's JSON.
    func encodeState(into output: inout [UInt8]) throws(EncodingFailure)
    /// Encodes the committed state as far as it is not what a form holds of it.
    ///
    /// - Parameter keepsSecrets: of those that have some; nobody is shown such a form.
    func encodeState(
        after form: EncodedForm?, keepingSecrets keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm
    /// Clients see the state as it is: no view stands for it.
    var showsState: Bool { get }
    /// The application has a view of this name.
    func hasView(_ name: String) -> Bool
    /// The class of a viewer by the committed state; nil where the view is one for everybody.
    ///
    /// - Parameter view: the name; nil for the view that stands for the state.
    func viewerClass(of viewer: Viewer, for view: String?) -> ViewerClass?
    /// The viewers that are not of the class of their group by the committed state; the groups that
    /// stay as they are have no part in the answer.
    ///
    /// - Parameters:
    ///   - name: the view's; nil for the view that stands for the state.
    ///   - groups: of the view's classes.
    func leavers(ofView name: String?, among groups: Span<ViewerGroup>) -> [ViewerGroup.Leavers]
    /// The places of those inputs that are others by the committed state; nil where the view does
    /// not compare the inputs of its classes.
    ///
    /// - Parameters:
    ///   - name: the view's; nil for the view that stands for the state.
    ///   - inputs: what the view has left in its outputs, each for another class.
    func changes(ofView name: String?, among inputs: Span<AnyObject?>) -> [Int]?
    /// Takes down what a view shows.
    func encodeView(
        _ view: ShownView, to output: inout ViewOutput
    ) throws(EncodingFailure)
    /// Encodes what a viewer is shown of a state of before, of which the JSON is kept: its secrets are
    /// gone, and read `"<redacted>"`. Throws where that is no state of this build of the application,
    /// too.
    ///
    /// - Parameter view: the name; nil for the view that stands for the state.
    func encodePast(
        _ json: [UInt8], view: String?, for viewer: Viewer
    ) throws(EncodingFailure) -> (json: [UInt8]?, viewerClass: ViewerClass?)
}

extension ShowsState {
    package var isFollowing: Bool { false }
    /// Encodes the committed state as it is shown.
    package func encodeState(after form: EncodedForm?) throws(EncodingFailure) -> EncodedForm {
        try encodeState(after: form, keepingSecrets: false)
    }
}

/// The most actions of a batch, and the most of which each is compared with the state before it; and the
/// client whose actions are counted before they are decided, where they have rates.
@usableFromInline
package typealias BatchLimit = (count: Int, comparedCount: Int, sender: RatedSender?)

/// A store that decides about actions, and shows what these make of the state.
package protocol TakesActions: ShowsState {
    /// The time by the clock that the application was given; nil: the machine's.
    var time: Timestamp? { get }
    /// Tells it apart from an earlier store of the same session, whose effects may still report.
    var incarnation: UInt64 { get }
    var headVersion: UInt64 { get }
    /// No effect, no delayed action and no undecided or undurable entry is under way.
    var isIdle: Bool { get }
    /// The same, but that alarms may be set: the journal wakes the session for these.
    var allowsSleep: Bool { get }
    /// What the work needs to go on once the session wakes up; nil where there is nothing to say.
    var keptWork: KeptWork? { get }
    /// Effects are under way, delayed actions not counted.
    var hasEffects: Bool { get }
    var runningEffects: [RunningEffect] { get }
    /// The works that run or wait, and the alarms that are set.
    var runningWork: [RunningWork] { get }
    var knownTypes: [String] { get }
    /// Decides about the actions in a body that a principal has sent, hands what is accepted to the
    /// journal, and commits what it keeps, with the actions that these cause. Throws what is rejected
    /// or not kept; `unknown` where the caller has refused the entries.
    func submit(
        _ body: Span<UInt8>, by principal: Principal, at time: Timestamp, _ limit: BatchLimit,
        in memory: ActionMemory, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision
    /// Sets the state in a body, hands the entry to the journal, and commits what it keeps; where the
    /// body reads `"<redacted>"` in place of a secret, that stays.
    func replaceState(
        by body: Span<UInt8>, of principal: Principal, at time: Timestamp,
        _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision
    /// Makes an entry of the state as it is written today.
    func migrate(at time: Timestamp, _ append: StagedBatch.Append) throws(Refusal) -> Decision
    /// The application wants to be told what becomes of the session.
    var wantsSessionFacts: Bool { get }
    /// The same for a fact about the session, as far as it changes the state.
    func submit(
        _ fact: SessionFact, at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision
    /// The same for actions that committed entries and effects have dispatched.
    func submitCausedActions(_ append: StagedBatch.Append)
    func commit(through version: UInt64)
    /// Forgets what is decided behind a version.
    func revert(to version: UInt64)
    /// Begins the work that the state wants which the session begins with; its reports wait for
    /// `submitCausedActions`.
    func startWork()
    /// Tells of each change of the committed state until the subscription ends.
    func observe(_ onChange: @escaping () -> Void) -> Subscription
    /// Tells the work how many clients watch the session.
    func watch(by count: Int)
    /// Has the actions wait for `submitCausedActions` that interceptors delay; false where there are none.
    func endDelays() -> Bool
    func cancelEffects()

    /// Nothing that a version started is still under way.
    func isSettled(_ root: UInt64) -> Bool
}

extension TakesActions {
    package var allowsSleep: Bool { isIdle }
    package var keptWork: KeptWork? { nil }
    package var hasEffects: Bool { false }
    package func endDelays() -> Bool { false }
    package func migrate(
        at time: Timestamp, _ append: StagedBatch.Append
    ) throws(Refusal) -> Decision { try Decision(.dropped, at: headVersion) }

    /// Nothing that these versions started is still under way.
    package func isSettled(_ roots: ClosedRange<UInt64>) -> Bool {
        isIdle || roots.allSatisfy { isSettled($0) }
    }
}
