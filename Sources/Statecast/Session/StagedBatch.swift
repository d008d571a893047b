/// Entries that the reducer has made and that go to the journal, without the application's types.
@usableFromInline
struct StagedBatch {
    /// The version of the last entry.
    var version: UInt64
    /// How many entries there are.
    var count: Int
    /// Another entry caused these: they do not come from a client's request.
    var isCaused: Bool
    /// For a posted batch, the outcome of each of its actions.
    var outcomes: [Outcome]

    @usableFromInline
    init(version: UInt64, count: Int, isCaused: Bool, outcomes: [Outcome]) {
        self.version = version
        self.count = count
        self.isCaused = isCaused
        self.outcomes = outcomes
    }

    /// The outcomes of a batch's actions, or how many entries one action became; nil where it became
    /// one.
    var record: [UInt8]? {
        outcomes.isEmpty
            ? BatchRecord.write(entryCount: UInt64(count))
            : BatchRecord.write(outcomes.map { ActionResult($0) })
    }

    /// Makes the bytes of the entries and of the state behind them, where the journal wants them.
    @usableFromInline
    typealias Content = () throws(EncodingFailure) -> EncodedEntries

    /// Makes the bytes of the state behind the last entry.
    @usableFromInline
    typealias StateContent = () throws(EncodingFailure) -> [UInt8]

    /// Hands entries over to the session's journal.
    @usableFromInline
    typealias Append = (
        _ batch: StagedBatch, _ content: Content, _ state: StateContent
    ) -> Keeping
}

/// Entries as bytes.
@usableFromInline
struct EncodedEntries {
    /// One of the entries.
    @usableFromInline
    struct Entry {
        var version: UInt64
        var origin: Origin
        var cause: UInt64?
        var changed: Bool
        /// `{"type":"added","payload":"milk","meta":{"tab":3}}`
        var action: [UInt8]

        @usableFromInline
        init(
            version: UInt64, origin: Origin, cause: UInt64?, changed: Bool, action: [UInt8]
        ) {
            self.version = version
            self.origin = origin
            self.cause = cause
            self.changed = changed
            self.action = action
        }
    }

    var entries: [Entry]
    /// The state behind the last entry; nil where no entry changed it.
    var state: [UInt8]?

    @usableFromInline
    init(_ entries: [Entry], state: [UInt8]?) {
        self.entries = entries
        self.state = state
    }
}
