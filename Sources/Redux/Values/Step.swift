/// The surroundings of one action on its way through the reducer: who sent it, when, as which entry,
/// and the sources of new ids and of chance. All of it stands in the entry, so that the same action
/// on the same state always comes to the same.
///
///     func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
///         switch action {
///         case .added(let name):
///             state.items.append(
///                 Item(id: step.makeID(), owner: try step.signedIn().id, name: name))
///         }
///     }
///
/// A store has one step, which stands for the present action. It is not `Sendable`: a reducer that
/// lets it out, into a task or an effect, does not compile.
public final class Step {
    // Private, and not `private(set)`: the run time checks each access to a variable of a class that is
    // seen outside of its module (230 of 740 instructions of a bare dispatch).
    private var principal: Principal?
    private var entry: UInt64 = 0
    private var causingEntry: UInt64?
    private var time: Timestamp?
    private var previousTime = Timestamp(milliseconds: .min)
    private var idCount = 0
    private var generatorCount: UInt64 = 0
    /// The bits that the present entry's random numbers come from, where it drew any.
    private(set) var seed: Seed?
    /// The session of the store.
    public let session: SessionID
    /// The part before `-` of the session's tokens.
    let epoch: String
    private let environment: Environment?

    /// A store's step.
    ///
    /// - Parameter lastTime: the time of the session's last entry, where it has one.
    init(
        session: SessionID, epoch: String, _ environment: Environment?, after lastTime: Timestamp?
    ) {
        self.session = session
        if let lastTime { previousTime = lastTime }
        self.epoch = epoch
        self.environment = environment
    }

    /// The step of an action outside of a store: a client that has the same reducer shows an action
    /// before the server has answered.
    ///
    /// - Parameters:
    ///   - epoch: the part before `-` of the session's tokens.
    ///   - seed: the bits that random numbers come from; other ones than the server's, which no
    ///     client is told.
    public convenience init(
        by principal: Principal?, at time: Timestamp, version: UInt64, session: SessionID,
        epoch: String, seed: Seed = .random(), cause: UInt64? = nil
    ) {
        self.init(session: session, epoch: epoch, nil, after: nil)
        begin(version: version, by: principal, at: time, cause: cause)
        self.seed = seed
    }

    /// The first part of the ids that a store makes: 60 random bits in base 36.
    package static func randomEpoch() -> String {
        String(UInt64.random(in: (1 << 59)..<(1 << 60)), radix: 36)
    }

    // MARK: What it tells

    /// The one who sent the action, with the id and the roles of then; nil where the server itself did, by work, an alarm or a handle.
    public var by: Principal? { principal }

    /// The number that the entry will have; 0 where a session begins.
    public var version: UInt64 { entry }

    /// The version that wanted the work which reports, or behind which an interceptor has delayed the
    /// action; nil for an action that comes from outside at once.
    public var cause: UInt64? { causingEntry }

    /// The time at which the action was decided, in whole milliseconds; never before the entry before.
    public var at: Timestamp {
        if let time { return time }
        guard let environment else {
            preconditionFailure("A step outside of a store is made with its time.")
        }
        let now = max(environment.now(), previousTime)
        time = now
        return now
    }

    /// The id and the roles of the one who sent the action; rejects with `not-signed-in` a client that
    /// the server does not know, and the server itself.
    public func signedIn() throws(Rejection) -> (id: String, roles: Set<String>) {
        guard let by, let id = by.id else { throw .notSignedIn }
        return (id, by.roles)
    }

    /// A new id: the token of the entry, `k3f9x2ab7qzd-42`, then `k3f9x2ab7qzd-42.2` and so on.
    ///
    /// No other entry ever has it, and a replay makes the same one. A client that knows the token can
    /// foresee it: it is a name, not a secret.
    public func makeID() -> String {
        idCount += 1
        let token = "\(epoch)-\(version)"
        return idCount == 1 ? token : "\(token).\(idCount)"
    }

    /// A source of random numbers, another one each time; a replay draws the same ones.
    ///
    /// No client can compute what it will draw, or has drawn: see ``Seed``.
    public func makeGenerator() -> some RandomNumberGenerator {
        let bits = seed ?? environment?.makeSeed() ?? .random()
        seed = bits
        defer { generatorCount += 1 }
        return ChaCha20(bits, number: generatorCount)
    }

    /// The present action has asked for random numbers: a client that has the same reducer cannot know
    /// them.
    package var hasDrawn: Bool { generatorCount > 0 }

    // MARK: One action after the other

    /// Stands for another action from now on.
    ///
    /// - Parameters:
    ///   - version: the number that its entry will have.
    ///   - time: when it is decided; nil: read when the reducer asks.
    @usableFromInline
    func begin(version: UInt64, by principal: Principal?, at time: Timestamp?, cause: UInt64?) {
        keepTime()
        self.time = if let time { max(time, previousTime) } else { nil }
        self.principal = principal
        causingEntry = cause
        entry = version
        idCount = 0
        generatorCount = 0
        seed = nil
    }

    /// Stands once more for an action that has an entry.
    func resume(_ entry: Entry) {
        keepTime()
        principal = entry.by
        time = entry.at
        seed = entry.seed
        self.entry = entry.version
        causingEntry = entry.cause
        rewind()
    }

    /// A time, or the latest of an entry where that is later.
    func clamped(_ time: Timestamp) -> Timestamp {
        keepTime()
        return max(time, previousTime)
    }

    /// The latest time that it has told, or was begun with; nil: none yet.
    var lastTime: Timestamp? {
        let last = clamped(Timestamp(milliseconds: .min))
        return last.milliseconds == .min ? nil : last
    }

    private func keepTime() {
        if let time { previousTime = max(previousTime, time) }
    }

    /// Stands at the beginning of the present action again.
    func rewind() {
        idCount = 0
        generatorCount = 0
    }
}

extension Step {
    /// The step in which a session begins: version 0, by the one who has it made.
    ///
    /// - Parameters:
    ///   - epoch: the part before `-` of the session's tokens.
    ///   - time: nil: read when the application asks.
    ///   - environment: makes ids and seeds, where a test has them made otherwise.
    package static func beginning(
        _ session: SessionID, epoch: String, by principal: Principal?, at time: Timestamp? = nil,
        in environment: Environment
    ) -> Step {
        let step = Step(session: session, epoch: epoch, environment, after: nil)
        step.begin(version: 0, by: principal, at: time, cause: nil)
        return step
    }
}

/// Milliseconds since 1970-01-01 UTC, leap seconds left out.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Whole milliseconds.
    public var milliseconds: Int64

    /// A point of time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Earlier than.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time so much later, in whole milliseconds; the last one that there is where that is too
    /// far.
    ///
    ///     state.turn = Turn(player: next, ends: step.at + .seconds(30))
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (thousands, isFar) = seconds.multipliedReportingOverflow(by: 1_000)
        let rest = attoseconds / 1_000_000_000_000_000
        let (span, isFarther) = thousands.addingReportingOverflow(rest)
        let (sum, isFarthest) = time.milliseconds.addingReportingOverflow(span)
        guard isFar || isFarther || isFarthest else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: duration < .zero ? .min : .max)
    }
}

extension Clock where Duration == Swift.Duration {
    /// Measures the time that has passed since this call.
    package func timeSinceNow() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
