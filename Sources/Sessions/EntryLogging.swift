import Accounting
import Bytes
import Redux
import Journaling
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
    private var forms = StagedForms()
    /// The version of the journal's document, where today's state is written otherwise.
    private var unfaithful: UInt64?
    /// The version of the first entry of the present epoch, where that is known.
    private(set) var firstOfEpoch: UInt64?

    init(_ kind: SessionKind, _ limits: SessionLimits, firstOfEpoch: UInt64?) {
        self.firstOfEpoch = firstOfEpoch
        switch kind {
        case .live(let keepsEntries):
            isAlways = keepsEntries
        case .replay(let recording):
            isAlways = true
            let header = recording.header
            // What a reader has let through: nothing of it goes.
            log = EntryLog(
                header.state, at: header.version, since: header.start,
                .init(
                    entryCount: limits.recordingEntryCount,
                    byteCount: limits.recordingByteCount
                        + limits.recordingEntryCount * EncodedEntry.overhead))
            log?.upcomingByteCount = ReplayTape(recording).byteCount
        }
    }

    /// Entries are kept, or will be from the next one on.
    var isOn: Bool { isAlways || isAsked }
    var byteCount: Int { (log?.byteCount ?? 0) + forms.byteCount }

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
        log?.dropCaches(isTight: isTight)
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
        forms = StagedForms()
    }

    // MARK: Entries

    /// The state before entries that stand behind a version; nil where nobody has it any more.
    ///
    /// - Parameter whole: may have the form of the committed state.
    mutating func former(
        at place: UInt64, of store: any ShowsState, _ whole: Projection
    ) throws(EncodingFailure) -> EncodedForm? {
        settle(committed: store.version, head: place)
        if let form = forms.form(at: place) { return form }
        forms = StagedForms()
        guard store.version == place else { return nil }
        let known = whole.form(asOf: store.lastChange)
        let form: EncodedForm
        if let known { form = known } else { form = try store.encodeState(after: nil) }
        forms.stage(form, through: place)
        return form
    }

    /// Entries are handed over to the journal: the state behind them is kept for the next ones, and
    /// they themselves where there is a log.
    ///
    /// - Parameters:
    ///   - form: the state behind them; nil where they have not changed it.
    ///   - place: the version behind which they stand.
    ///   - former: the state before them, with which a log begins.
    mutating func stage(
        _ entries: [EncodedEntry], _ form: EncodedForm?, behind place: UInt64,
        _ former: EncodedForm?, since: Timestamp, _ limits: SessionLimits
    ) {
        forms.stage(form, through: place + UInt64(entries.count))
        guard isOn else { return }
        if let log, log.headVersion != place { self.log = nil }
        if log == nil, let former {
            log = EntryLog(
                SharedBytes(former.bytes()), at: place, since: since,
                .init(entryCount: limits.historyEntryCount, byteCount: limits.historyByteCount))
        }
        log?.stage(entries.map(\.withoutSecrets))
    }

    /// Lets go of the state that the next entries lead on from: it is made again.
    mutating func dropForms(committed: UInt64, head: UInt64) {
        forms.settle(committed: committed, head: head)
        if forms.isSettled { forms = StagedForms() }
    }

    /// The session goes on from a document of its journal. Where the state is written otherwise today,
    /// no patch leads on from the document, and the next entries have the whole state.
    mutating func restored(_ document: StoredDocument, in store: any ShowsState) {
        var isSame = false
        do throws(EncodingFailure) {
            isSame = try store.encodeState(after: nil).bytes() == document.json
        } catch {
            // The first entry tells what cannot be written.
        }
        unfaithful = isSame ? nil : document.version
    }

    /// The journal has the committed state of a version as it is written today.
    func isFaithful(at version: UInt64) -> Bool { unfaithful.map { version > $0 } ?? true }

    /// Takes over entries that were played from a tape.
    mutating func take(_ played: ArraySlice<EncodedEntry>, from tape: ReplayTape) {
        log?.upcomingByteCount = tape.byteCount
        guard !played.isEmpty else { return }
        log?.stage(Array(played))
        log?.settle(
            committed: tape.version, head: tape.version, EncodedForm(json: tape.json.bytes))
    }

    /// Takes over what was committed meanwhile, and drops what was lost.
    mutating func settle(committed: UInt64, head: UInt64) {
        forms.settle(committed: committed, head: head)
        log?.settle(committed: committed, head: head, forms.form(at: committed))
    }

    /// The form of the committed state, where it is known.
    mutating func form(at committed: UInt64, head: UInt64) -> EncodedForm? {
        guard !forms.isEmpty else { return nil }
        settle(committed: committed, head: head)
        return forms.form(at: committed)
    }
}

/// The states behind a session's last entries, in pieces: the committed one, and those that are with
/// the journal.
struct StagedForms {
    private struct Stage {
        /// The entry that led to it.
        var version: UInt64
        var form: EncodedForm
    }

    /// In the order of their versions.
    private var stages: [Stage] = []
    /// The version of the last entry, which need not have changed the state.
    private var head: UInt64 = 0

    var isEmpty: Bool { stages.isEmpty }
    /// No entry of them is with the journal.
    var isSettled: Bool { stages.count <= 1 }
    /// The memory that the newest takes: the others share most of it.
    var byteCount: Int { stages.last?.form.heldByteCount ?? 0 }

    /// The state at a version, which no known entry is between.
    func form(at version: UInt64) -> EncodedForm? {
        guard version <= head else { return nil }
        return stages.last { $0.version <= version }?.form
    }

    /// Entries up to a version have led to a state; nil where they have left it as it was.
    mutating func stage(_ form: EncodedForm?, through version: UInt64) {
        if let form { stages.append(Stage(version: version, form: form)) }
        head = version
    }

    /// Forgets states that were lost, and those before the committed one.
    ///
    /// - Parameter head: the last version that is committed or with the journal.
    mutating func settle(committed: UInt64, head: UInt64) {
        if head > self.head { stages = [] }
        self.head = min(self.head, head)
        while let last = stages.last, last.version > head { stages.removeLast() }
        while stages.count > 1, stages[1].version <= committed { stages.removeFirst() }
    }
}
