import Accounting
import Bytes
import Redux
import StateCoding

/// Keeps a session's entries in memory as long as that is wanted: from its beginning on, or from the
/// first request for its past until nobody has asked for a minute.
///
/// A session that nobody asks about its past has no log, and pays nothing for it.
struct EntryLogging {
    /// The log goes that no request has asked for since so long before the last look at it.
    private static let unaskedDuration = Duration.seconds(60)

    /// The entries are kept whether anybody asks or not.
    private let isAlways: Bool
    private var isAsked = false
    /// The first look at the log since a request; nil: one has come since the last look.
    private var unaskedSince: Instant?
    private(set) var log: EntryLog?
    /// The version of the first entry of the present epoch, where that is known.
    private(set) var firstOfEpoch: UInt64?

    init(_ kind: SessionKind, _ limits: SessionLimits, firstOfEpoch: UInt64?) {
        self.firstOfEpoch = firstOfEpoch
        switch kind {
        case .live(let keepsEntries):
            isAlways = keepsEntries
        case .replay(let recording):
            isAlways = true
            // What a reader has let through: nothing of it goes.
            let bounds = EntryLog.Bounds(
                entryCount: limits.recordingEntryCount,
                byteCount: limits.recordingByteCount
                    + limits.recordingEntryCount * LoggedEntry.overhead)
            let header = recording.header
            log = EntryLog(
                EncodedForm(json: header.state.bytes), at: header.version, since: header.start,
                bounds)
            log?.upcomingByteCount = ReplayTape(recording).byteCount
        }
    }

    /// Entries are kept, or will be from the next one on.
    var isOn: Bool { isAlways || isAsked }
    var byteCount: Int { log?.byteCount ?? 0 }

    // MARK: Requests

    /// A request is about the session's past: its entries are kept from here on.
    mutating func ask() {
        isAsked = true
        unaskedSince = nil
    }

    /// Lets go of the log where no request has asked for it for long.
    ///
    /// - Parameters:
    ///   - isFollowed: clients follow the session by its patches.
    ///   - isTight: memory is short: what is not always kept goes at once, until the next request.
    /// - Returns: the instant at which the log goes, unless a request comes; nil where it does not.
    mutating func age(isFollowed: Bool, isTight: Bool, at now: Instant) -> Instant? {
        log?.lastRead = nil
        if isTight { log?.dropCheckpoints() }
        if isFollowed, !isTight { ask() }
        guard isAsked else { return nil }
        let end = (unaskedSince ?? now).advanced(by: Self.unaskedDuration)
        guard isTight || now >= end else {
            unaskedSince = unaskedSince ?? now
            return end
        }
        isAsked = false
        if !isAlways { log = nil }
        return nil
    }

    /// The session goes on from another state than it had.
    mutating func begin(at version: UInt64, isNewEpoch: Bool) {
        end()
        if isNewEpoch { firstOfEpoch = version + 1 }
    }

    /// The session has ended.
    mutating func end() {
        log = nil
    }

    // MARK: Entries

    /// Entries are about to be handed over to the journal: they are encoded for it and for the log,
    /// which is kept.
    ///
    /// - Parameters:
    ///   - place: the version behind which they stand.
    ///   - whole: may have the form of the committed state.
    /// - Throws: where the entries, or the state behind them, cannot be written.
    mutating func stage(
        _ batch: Intake.Batch, behind place: UInt64, of store: any SessionStore,
        _ whole: Projection, since: Timestamp, _ limits: SessionLimits,
        _ content: StagedBatch.Content, _ change: StagedBatch.Change
    ) throws(EncodingFailure) -> EncodedEntries {
        settle(committed: store.version, head: place)
        if let log, log.headVersion != place { self.log = nil }
        if log == nil {
            let bounds = EntryLog.Bounds(
                entryCount: limits.historyEntryCount, byteCount: limits.historyByteCount)
            try begin(at: place, of: store, whole.value.form(asOf: store.lastChange), since, bounds)
        }
        let encoded = try content()
        guard let head = log?.head else { return encoded }
        let changed = encoded.changed ? try change(head) : nil
        let entries = EntryWriter.logged(
            encoded, batch.staged, batch.staged.isCaused ? nil : batch.key,
            changed?.patch?.operations)
        log?.stage(entries, changed?.form)
        return encoded
    }

    /// Takes over entries that were played.
    ///
    /// - Parameter upcomingByteCount: the bytes of those that are still to be played.
    mutating func take(_ played: ReplayTape.Played, upcomingByteCount: Int) {
        log?.upcomingByteCount = upcomingByteCount
        guard let last = played.entries.last else { return }
        let isChanged = played.entries.contains { $0.patch != nil }
        log?.stage(Array(played.entries), isChanged ? EncodedForm(json: played.state.bytes) : nil)
        log?.settle(committed: last.version, head: last.version)
    }

    /// Begins with the committed state, once nothing stands between it and the next entry.
    private mutating func begin(
        at place: UInt64, of store: any SessionStore, _ known: EncodedForm?, _ since: Timestamp,
        _ bounds: EntryLog.Bounds
    ) throws(EncodingFailure) {
        guard store.version == place else { return }
        let form: EncodedForm
        if let known { form = known } else { form = try store.encodeState(after: nil).form }
        log = EntryLog(form, at: place, since: since, bounds)
    }

    /// Takes over what was committed meanwhile, and drops what was lost.
    mutating func settle(committed: UInt64, head: UInt64) {
        log?.settle(committed: committed, head: head)
    }

    // MARK: Reading

    /// The form of a store's committed state, where the log has it.
    mutating func form(of store: any SessionStore) -> EncodedForm? {
        settle(committed: store.version, head: store.headVersion)
        return log.flatMap { $0.lastVersion == store.version ? $0.form : nil }
    }

    /// The state that the log has at a visible version; nil where it cannot be made.
    func state(at version: UInt64) -> SharedBytes? {
        guard let log, let json = log.state(at: version, from: log.lastRead) else { return nil }
        log.lastRead = (version, json)
        return json
    }
}
