public import Redux

/// What the sessions of a served application need beside the application itself.
///
///     Served("/notes", notes, options: SessionOptions(
///         schema: Schema(version: 2, migrations: [Migration(from: 1) { NotesState($0) }]),
///         validate: { (notes) throws(Rejection) in try notes.check() },
///         lifetime: .seconds(3600)))
///
/// A `TestStore` and `RandomActions` take the same options.
public struct SessionOptions<State: StateValue, Action: ActionGroup>: Sendable {
    /// The version of the states' JSON, and the migrations from earlier ones.
    public var schema: Schema

    /// Says no to a state that no reducer has made: one that a journal has kept, or that somebody
    /// has set by hand. A session whose kept state is refused is not opened, and answers 423.
    public var validate: (@Sendable (State) throws(Rejection) -> Void)?

    /// The time after which a session ends that nobody uses and that is in memory alone; nil: that of
    /// ``SessionLimits/idleDuration``.
    public var lifetime: Duration?

    /// The extent to which sessions in memory keep their entries.
    public var history: History

    /// Actions as clients may send them, for tests and documents. Each is written when the server
    /// starts: one that cannot be is an error then.
    public var examples: [Action]

    /// The types of actions that a client must not carry out by itself before the server answers,
    /// since they need what it does not have: `deck/drawn`, or `deck` for all of a group. One that
    /// the application does not know is an error when the server starts.
    public var unpredicted: [String]

    /// Deletes what the application keeps elsewhere under the id of a session that a client has
    /// ended by DELETE; nil where it keeps nothing. A session that ends for lack of use is not
    /// forgotten.
    ///
    /// The server calls this in Swift's pool, apart from the session and after the session's work
    /// was cancelled, at least once: it logs an error that is thrown, and calls again after 100 ms,
    /// 200 ms and so on, an hour at most. Until the call returns, the id is ended, so that no new
    /// session finds what is about to be deleted; DELETE is answered after that.
    public var forgetting: (@Sendable (_ session: SessionID) async throws -> Void)?

    /// Options; without any, a session needs nothing.
    public init(
        schema: Schema = Schema(),
        validate: (@Sendable (State) throws(Rejection) -> Void)? = nil,
        lifetime: Duration? = nil, history: History = .whileWatched, examples: [Action] = [],
        unpredicted: [String] = [],
        forgetting: (@Sendable (_ session: SessionID) async throws -> Void)? = nil
    ) {
        self.schema = schema
        self.validate = validate
        self.lifetime = lifetime
        self.history = history
        self.examples = examples
        self.unpredicted = unpredicted
        self.forgetting = forgetting
    }
}
