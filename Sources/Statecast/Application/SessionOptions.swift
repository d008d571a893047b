public import Redux
public import Sessions
import StateCoding

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

    /// The time after which a session ends that nobody uses: in memory since its last request, in a
    /// journal since its last entry. Nil: that of ``SessionLimits/idleDuration`` or of
    /// ``SessionLimits/lifetime``.
    public var lifetime: Duration?

    /// The extent to which sessions in memory keep their entries.
    public var history: History

    /// Actions as clients may send them, for tests and documents, and facts, for tests alone. Each is
    /// written when the server starts: one that cannot be is an error then.
    public var examples: [Action]

    /// The types of actions that a client must not carry out by itself before the server answers,
    /// since they need what it does not have: `deck/drawn`, or `deck` for all of a group. One that
    /// the application does not know is an error when the server starts.
    public var unpredicted: [String]

    /// How often clients may send actions, beside what an operator allows at most.
    public var rates: [RateLimit]

    /// Paths in the state whose values the server's log does not show, without indexes and keys:
    /// `bids`, `form.password`. At `debug` they read `<redacted>` there; with any, an action is told by
    /// its type alone, for what it carries goes into the state. A path that the initial state does not
    /// begin with is an error when the server starts.
    public var hiding: Set<String>

    /// Deletes what the application keeps elsewhere under the id of a session that a client has
    /// ended by DELETE, or that a journal has kept for its lifetime; nil where it keeps nothing. A
    /// session in memory that ends for lack of use is not forgotten.
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
        unpredicted: [String] = [], rates: [RateLimit] = [], hiding: Set<String> = [],
        forgetting: (@Sendable (_ session: SessionID) async throws -> Void)? = nil
    ) {
        self.schema = schema
        self.validate = validate
        self.lifetime = lifetime
        self.history = history
        self.examples = examples
        self.unpredicted = unpredicted
        self.rates = rates
        self.hiding = hiding
        self.forgetting = forgetting
    }
}

/// The extent to which a session in memory keeps its entries, for those who ask for its past: its
/// log, an older version, a recording.
public enum History: Sendable, Hashable {
    /// Its entries are kept while clients watch it by patches or ask for its past, from the first
    /// such request on until there was none for a minute.
    case whileWatched
    /// Its entries are kept from its beginning on.
    case always
}

extension SessionOptions {
    /// The state that a journal has kept as JSON, in the form of a version of the schema; throws
    /// where it is none of the application's, or `validate` refuses it.
    package func restore(_ json: [UInt8], from version: Int) throws(DecodingFailure) -> State {
        let json = try schema.migrate(json, from: version)
        let state = try StateDecoder().decode(State.self, from: json)
        do throws(Rejection) {
            try validate?(state)
        } catch {
            throw .shape("The application refuses the state: \(error.code): \(error.message)")
        }
        return state
    }

    /// The sentence that says what is wrong with the options of an application whose actions this
    /// coder writes; nil where nothing is.
    func fault(_ coder: ActionCoder<Action>, _ initialState: State) -> String? {
        if let lifetime, lifetime <= .zero {
            return "The lifetime of a session is \(lifetime), and must be longer than nothing."
        }
        if let fault = schema.fault ?? unpredictedFault(coder) ?? rateFault(coder)
            ?? hidingFault(initialState)
        {
            return fault
        }
        for example in examples {
            if let fault = exampleFault(example, coder) { return fault }
        }
        return nil
    }

    private func unpredictedFault(_ coder: ActionCoder<Action>) -> String? {
        let types = coder.knownTypes
        return unpredicted.first { name in
            !types.contains { $0 == name || $0.hasPrefix("\(name)/") }
        }.map { "No action that clients may send has the type \"\($0)\", which is unpredicted." }
    }

    private func rateFault(_ coder: ActionCoder<Action>) -> String? {
        let newest = rates.filter(\.keepsNewest)
        if Set(newest.map(\.type)).count < newest.count {
            return "The newest action of a type goes on at one rate, and not at two."
        }
        return rates.lazy.compactMap { $0.fault(among: coder.knownTypes) }.first
    }

    /// Stands before the application's own middleware, where some types have rates at which the newest
    /// action goes on.
    package func newest(_ coder: ActionCoder<Action>) -> [Middleware<State, Action>] {
        let limits = rates.filter(\.keepsNewest)
        guard !limits.isEmpty else { return [] }
        return [
            Middleware("newest") { action, _, incoming in
                guard incoming.origin == .client else { return .pass }
                let type = coder.typeName(of: action)
                guard let limit = limits.first(where: { $0.type == type }) else { return .pass }
                var sender = ""
                if limit.senders == .client {
                    // A print of 16 bits is not enough here: two clients would lose each other's actions.
                    sender =
                        incoming.by?.id.flatMap { $0.isEmpty ? nil : "=\($0)" }
                        ?? "\(incoming.client)"
                }
                return .passOnce(per: limit.period, key: "/newest/\(type)/\(sender)")
            }
        ]
    }

    /// An enum shows the names of one case alone.
    private func hidingFault(_ state: State) -> String? {
        let mirror = Mirror(reflecting: state)
        guard mirror.displayStyle == .struct else { return nil }
        let names = Set(mirror.children.compactMap(\.label))
        return hiding.sorted().first { !names.contains(String($0.prefix { $0 != "." })) }
            .map { "The state has no \"\($0)\", which the log is to hide." }
    }

    private func exampleFault(_ example: Action, _ coder: ActionCoder<Action>) -> String? {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            try coder.encode(example, meta: nil, into: &json)
        } catch {
            return "An example of an action cannot be written: \(error.detail)"
        }
        do throws(ActionFailure) {
            _ = try coder.decodeAction(json.span, in: ActionMemory())
            return nil
        } catch {
            // The server says it, and no client reads of it.
            if case .factNotAllowed = error { return nil }
            let text = String(decoding: json, as: UTF8.self)
            return "The example \(text) is no action that a client may send: leave it out."
        }
    }
}
