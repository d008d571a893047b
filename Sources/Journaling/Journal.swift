/// What became of a batch that was handed to a journal.
public enum AppendOutcome: Sendable, Hashable {
    /// As durable as the journal promises.
    case durable
    /// Not kept, for certain: the state goes back to what was committed before.
    case failed
    /// Kept or not, nobody knows: the session has to be loaded again.
    case unknown
}

/// Consecutive entries of one session, kept all or none.
public struct JournalBatch: Sendable, Hashable {
    /// Where the application is mounted, and the session's id: `/counter`, `demo`.
    public var session: String
    /// The version of the first entry.
    public var first: UInt64
    /// The entries in their order, each a JSON object.
    public var entries: [[UInt8]]

    /// A batch.
    public init(session: String, first: UInt64, entries: [[UInt8]]) {
        self.session = session
        self.first = first
        self.entries = entries
    }
}

/// Where entries are kept before anybody hears of them.
public protocol Journal: Sendable {
    /// The name that a session's description tells: `memory`.
    var mode: String { get }

    /// Whether an entry needs no waiting: it is then committed at once, and never handed over.
    var commitsInline: Bool { get }

    /// Keeps a batch; batches of one session are kept in the order of the calls. `completion` is
    /// called once, from any thread.
    func append(_ batch: JournalBatch, completion: @escaping @Sendable (AppendOutcome) -> Void)
}

/// Keeps nothing beyond the process: a session is as durable as the memory that it lives in.
public struct MemoryJournal: Journal {
    /// A journal of nothing.
    public init() {}

    /// `memory`
    public var mode: String { "memory" }

    /// Always.
    public var commitsInline: Bool { true }

    /// Durable at once, as far as memory goes.
    public func append(
        _ batch: JournalBatch, completion: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        completion(.durable)
    }
}
