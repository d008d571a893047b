public import Redux

/// The promise of a journal about an entry that it has kept.
public enum JournalMode: String, Sendable, Hashable {
    /// The entry lasts as long as the process.
    case memory
    /// The entry outlives a power loss.
    case durable
}

/// A store of sessions and their entries: nothing is visible outside before it is kept here.
///
/// A server opens a session before it uses it, and appends behind the version that it knows. The
/// calls for one lease come in their order, from one event loop, and are judged in that order.
public protocol Journal: Sendable {
    /// The promise that a session's description names.
    var mode: JournalMode { get }

    /// Takes a session over, or makes it; from then on no other server can append to it.
    ///
    /// - Parameter new: the beginning of the session where there is none; without it, a session
    ///   that does not exist is nil.
    func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession?

    /// Makes names that last as long as the journal, and the same on every machine, of what clients give.
    var hash: KeyedHash { get }

    /// The journal wants the bytes of entries; false where the process's memory is all that it keeps
    /// them in.
    var keepsEntries: Bool { get }

    /// More waits for it than it may hold: it takes no batch now. Asked before an action is reduced.
    var isBusy: Bool { get }

    /// Another server may take a session over: before one is shown, `shows` is asked.
    var isShared: Bool { get }

    /// Says that nobody else can have gone on with a session that was opened here.
    ///
    /// - Parameters:
    ///   - lease: nil where it is not known whether that of a session is the newest.
    ///   - anew: to whoever asks now; those who watch have seen what there was, and may go on for a while.
    func shows(_ lease: Lease?, anew: Bool) -> Bool

    /// How often this process has lost all that it had, as others took it for dead.
    var lossCount: Int { get }

    /// Tells other servers of this one, which takes requests for its sessions.
    func announce(_ server: LiveServer)

    /// The servers that have announced themselves, this one among them, as they were a moment ago.
    var servers: [LiveServer] { get }

    /// The same as they are, behind what this one has announced.
    func readServers() async -> [LiveServer]

    /// The address that the server has announced which has a session; nil where nobody has it, or that
    /// takes none.
    func holder(of name: SessionName) async throws(JournalFailure) -> String?

    /// Appends entries behind `batch.expected`, all or none.
    ///
    /// Returns the outcome, or nil: `batch.receiver` then gets it with the batch's ticket, once
    /// and from any thread.
    ///
    /// - Parameter entries: as bytes; none where the journal wants none.
    func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome?

    /// Says that an event loop is about to run the application's code: what ends the process meanwhile is
    /// found at the next start, or by the next server, and a session that has done so twice at one version is
    /// opened frozen, or not at all. Takes no time.
    ///
    /// - Parameters:
    ///   - version: of the entry that is made, or at which the session is opened.
    ///   - isDone: that is done; on a loop, whatever its version.
    ///   - loop: nil for an opening or a reading, of which several may go on.
    func reduces(_ lease: Lease, to version: UInt64, isDone: Bool, on loop: Int?)

    /// Keeps what the session's work needs to go on, as of a version that is kept, with the state.
    ///
    /// - Parameter isAsleep: these are the last words of the lease: the session goes to sleep, and its
    ///   next use begins with `open`.
    func keep(_ work: KeptWork?, of lease: Lease, isAsleep: Bool) async throws(JournalFailure)

    /// Gives sessions away, with the last words of their leases: whoever is to have one opens it with its next
    /// use. Each is given away or not; throws where one is not.
    func release(_ sessions: [Release]) async throws(JournalFailure)

    /// The idempotency keys of entries before those that `open` has told of, the oldest first: those
    /// of entries since a time, and perhaps more.
    func keys(of lease: Lease, since: Timestamp) async throws(JournalFailure) -> [KeptKey]

    /// Consecutive entries behind a version, without their secrets: at most as many as the limit
    /// says, and none where there is none.
    ///
    /// Throws `.compacted` where the first of them is not kept any more.
    func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry]

    /// The state that was visible at a version or last before it, byte for byte, secrets redacted.
    ///
    /// Throws `.compacted` where the history begins behind the version.
    func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument

    /// Makes the entries up to a version and through its batch, and the states before, unreadable for ever:
    /// one snapshot takes their place.
    func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure)

    /// Has a session go on from the state that was visible at a version, also one that cannot be read
    /// behind it: an entry stands behind its last one that sets all of that state. Who had the session has
    /// lost it; what was damaged stays, and nothing leads on from there.
    ///
    /// Throws `.compacted` where the history begins behind the version.
    ///
    /// - Parameters:
    ///   - entry: its time and its head; the version and the patch are the journal's to say.
    ///   - epoch: of the session from then on.
    func revert(
        _ name: SessionName, to version: UInt64, by entry: EncodedEntry, epoch: String
    ) async throws(JournalFailure)

    /// Ends a session, whoever has it, also one that cannot be read: no function finds it from here on, and
    /// its bytes follow. For an hour `open` throws `.ended`; from then on the name is free. Does nothing
    /// where there is none.
    func erase(_ name: SessionName) async throws(JournalFailure)

    /// Sessions in the order of their names as text, those behind `name`.
    func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary]

    /// Sessions whose earliest alarm is due, the earliest first, and the time of the next one. For
    /// those that are awake the answer may be an old one.
    func alarms(until: Timestamp, limit: Int) async throws(JournalFailure) -> DueAlarms

    /// What it says of itself, for operators; may be asked from any thread.
    var status: JournalStatus { get }

    /// Takes in nothing more, and finishes what was taken in.
    func close() async
}

/// What a journal says of itself, for operators.
public struct JournalStatus: Sendable, Hashable {
    /// It takes entries; false where it tries to be there again.
    public var isAvailable = true
    /// The commits since its start.
    public var commitCount = 0
    /// The time that these have taken in all.
    public var commitDuration = Duration.zero
    /// The time that what is being committed has taken so far; zero where nothing is.
    package var pendingDuration = Duration.zero
    /// The milliseconds between its newest entry and its start, where that was no short pause: see
    /// `AgeClock`.
    package var lead: Int64 = 0
    /// Why what no answer waits for was not done the last time: old entries stay, or erased ones.
    package var upkeepFailure: JournalFailure?

    /// There, without a commit.
    public init() {}
}

/// A journal that keeps what is appended and nothing else: no history, no sleep, no names.
extension Journal {
    /// The same for as long as the process.
    public var hash: KeyedHash { .ofProcess }

    /// It takes each batch.
    public var isBusy: Bool { false }

    /// It is this server's alone.
    public var isShared: Bool { false }

    /// Nobody else can.
    public func shows(_ lease: Lease?, anew: Bool) -> Bool { true }

    /// Nobody does.
    public var lossCount: Int { 0 }

    /// Nobody hears it.
    public func announce(_ server: LiveServer) {}

    /// Nobody has.
    public var servers: [LiveServer] { [] }

    /// As it is known.
    public func readServers() async -> [LiveServer] { servers }

    /// No other server has one.
    public func holder(of name: SessionName) async throws(JournalFailure) -> String? { nil }

    /// It is there.
    public var status: JournalStatus { JournalStatus() }

    /// Nothing is noted.
    public func reduces(_ lease: Lease, to version: UInt64, isDone: Bool, on loop: Int?) {}

    /// Says that the application's code is about to read a state of before, or has done so.
    package func reads(_ document: StoredDocument, isDone: Bool = false) {
        guard let lease = document.lease else { return }
        reduces(lease, to: document.version, isDone: isDone, on: nil)
    }

    /// Keeps what the session's work needs to go on.
    public func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool
    ) async throws(JournalFailure) {}

    /// No other server could have them.
    public func release(_ sessions: [Release]) async throws(JournalFailure) {}

    /// The keys of earlier entries, the oldest first.
    public func keys(
        of lease: Lease, since: Timestamp
    ) async throws(JournalFailure) -> [KeptKey] { [] }

    /// Consecutive entries behind a version.
    public func entries(
        of name: SessionName, after version: UInt64, limit: ReadLimit
    ) async throws(JournalFailure) -> [EncodedEntry] { throw .compacted(oldest: nil) }

    /// The state that was visible at a version or last before it.
    public func document(
        of name: SessionName, at version: UInt64
    ) async throws(JournalFailure) -> StoredDocument { throw .compacted(oldest: nil) }

    /// Makes the entries up to a version unreadable for ever.
    public func forget(_ lease: Lease, through version: UInt64) async throws(JournalFailure) {}

    /// Has a session go on from the state at a version.
    public func revert(
        _ name: SessionName, to version: UInt64, by entry: EncodedEntry, epoch: String
    ) async throws(JournalFailure) { throw .compacted(oldest: nil) }

    /// Ends a session: no function finds it from here on.
    public func erase(_ name: SessionName) async throws(JournalFailure) {}

    /// Sessions in the order of their names.
    public func sessions(
        after name: SessionName?, limit: Int
    ) async throws(JournalFailure) -> [SessionSummary] { [] }

    /// Sessions whose earliest alarm is due.
    public func alarms(
        until: Timestamp, limit: Int
    ) async throws(JournalFailure) -> DueAlarms { ([], nil) }
}

/// The reason for which a journal did not do what it was asked for.
public enum JournalFailure: Error, Sendable, Hashable {
    /// There is no room; it may come.
    case full
    /// The journal cannot be reached, or is broken for the moment.
    case unavailable
    /// The journal may be read and not written.
    case readOnly
    /// More waits for the journal than it may hold.
    case busy
    /// The kept entries of the session cannot be trusted; `good` is the last version that can be.
    case damaged(good: UInt64?)
    /// Another server has the session.
    case heldElsewhere
    /// What was asked for is not kept any more; `oldest` is the first version that is.
    case compacted(oldest: UInt64?)
    /// The key is missing by which secrets are kept.
    case missingKey
    /// The session was ended lately.
    case ended
    /// The journal has as many sessions as it may have.
    case tooManySessions
    /// The journal cannot say whether it has done what it was asked for.
    case unknown
}

/// A journal cannot be opened; the description says what a person does about it.
public struct JournalRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with the place.
    public let description: String

    package init(_ description: String) { self.description = description }
}

/// Consecutive entries of one session on their way into a journal.
public struct AppendBatch: Sendable {
    /// The right to append, as the session was opened.
    public var lease: Lease
    /// The version of the session's last entry before these: where the journal knows another one,
    /// the batch is refused, or stale.
    public var expected: UInt64
    /// The number of entries; the first has the version `expected + 1`.
    public var count: Int
    /// The schema of the states from these entries on; nil where it is that of the state before.
    public var schema: Int?
    /// What the entries have done to the session's earliest alarm.
    public var alarm: AlarmChange
    /// The state behind them, of which the last has made it: now and then of a session with a small state
    /// without secrets, for a journal that makes snapshots, and need not apply patches then.
    public var state: [UInt8]?
    /// The receiver of an outcome that comes later.
    public var receiver: any AppendReceiver
    /// The name under which the receiver gets the outcome.
    public var ticket: UInt64

    /// A batch of at least one entry.
    public init(
        lease: Lease, expected: UInt64, count: Int, schema: Int? = nil,
        alarm: AlarmChange = .unchanged, state: [UInt8]? = nil, receiver: any AppendReceiver,
        ticket: UInt64
    ) {
        self.lease = lease
        self.expected = expected
        self.count = count
        self.schema = schema
        self.alarm = alarm
        self.state = state
        self.receiver = receiver
        self.ticket = ticket
    }
}

/// A session that its server gives away.
public struct Release: Sendable {
    /// The right to append, which ends so.
    public let lease: Lease
    /// What its work needs to go on; nil: nothing.
    public let work: KeptWork?
    /// The address of the server that has it from then on, as far as that is there; nil: nobody.
    public let receiver: String?

    /// One that goes to a server, or to nobody.
    public init(_ lease: Lease, _ work: KeptWork?, to receiver: String? = nil) {
        (self.lease, self.work, self.receiver) = (lease, work, receiver)
    }
}

/// The change of a session's earliest alarm.
public enum AlarmChange: Sendable, Hashable {
    case unchanged
    /// There is no alarm any more.
    case none
    case at(Timestamp)
}

extension AlarmChange {
    /// The earliest alarm behind it.
    package func alarm(after former: Timestamp?) -> Timestamp? {
        switch self {
        case .unchanged: former
        case .none: nil
        case .at(let time): time
        }
    }
}

/// The fate of a batch.
public enum AppendOutcome: Sendable, Hashable {
    /// The entries are as durable as the journal's mode promises.
    case kept
    /// The entries are not kept, for certain.
    case refused(JournalFailure)
    /// Another server has taken the session over.
    case stale
    /// The journal cannot say: the session has to be opened again, and what it then holds counts.
    case unknown
}

/// The outcome of the batch that has a ticket.
public typealias TicketOutcome = (ticket: UInt64, outcome: AppendOutcome)

/// The side of an event loop to which a journal reports.
public protocol AppendReceiver: AnyObject, Sendable {
    /// Takes the outcomes of batches, those of one commit in one call; from any thread.
    func appended(_ outcomes: [TicketOutcome])
}

/// A journal that keeps nothing itself: a session lasts as long as the process that holds it, and so
/// does what its sessions remember of their history.
///
/// It opens and appends without suspending, and never asks for the bytes of an entry.
package struct MemoryJournal: Journal {
    /// A journal without memory of its own.
    package init() {}

    package var mode: JournalMode { .memory }
    package var keepsEntries: Bool { false }

    /// Makes the session; there are none but those that the process holds.
    package func open(
        _ name: SessionName, making new: NewSession?
    ) async throws(JournalFailure) -> OpenedSession? {
        new.map { new in
            OpenedSession(
                lease: Lease(session: 0, number: 0), epoch: new.epoch, created: new.created,
                document: nil)
        }
    }

    /// Keeps the entries, as the session's memory is all there is to keep them in.
    package func append(_ batch: AppendBatch, _ entries: [EncodedEntry]) -> AppendOutcome? { .kept }

    package func close() async {}
}

/// An outcome, and who is told of it.
package typealias ToldOutcome = (receiver: any AppendReceiver, outcome: TicketOutcome)

extension [ToldOutcome] {
    /// One call for each receiver.
    package func tell() {
        let groups = Dictionary(grouping: self) { ObjectIdentifier($0.receiver) }
        for group in groups.values { group[0].receiver.appended(group.map { $0.outcome }) }
    }
}
