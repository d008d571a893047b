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
    /// The states behind the last entries, in pieces, each with the version that has led to it: the
    /// committed one, and those that are with the journal.
    private var forms: [(version: UInt64, form: EncodedForm)] = []
    /// The version at which the journal has last had a state as a whole, and the bytes of entries since.
    private var stated: UInt64 = 0
    private var unstatedByteCount = 0
    /// The version of the journal's document, where today's state is written otherwise.
    private var unfaithful: UInt64?

    init(keepsEntries: Bool, playing recording: EntryLog?) {
        isAlways = keepsEntries || recording != nil
        log = recording
    }

    /// Entries are kept, or will be from the next one on.
    var isOn: Bool { isAlways || isAsked }
    var byteCount: Int {
        var count = 0
        if let log { count += log.byteCount }
        if let last = forms.last { count += last.form.heldByteCount }
        return count
    }

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

    /// The session has ended, or goes on from another state than it had.
    mutating func end() {
        log = nil
        forms = []
    }

    // MARK: Entries

    /// The state before entries that stand behind a version; nil where nobody has it any more.
    ///
    /// - Parameters:
    ///   - whole: may have the form of the committed state.
    ///   - keepsSecrets: as the next form does, which has nothing in common with another one.
    mutating func former(
        at place: UInt64, of store: any ShowsState, _ whole: Projection?, _ keepsSecrets: Bool
    ) throws(EncodingFailure) -> EncodedForm? {
        settle(committed: store.version, head: place)
        if let form = form(at: place) { return form }
        guard store.version == place else { return nil }
        let form: EncodedForm
        if let known = whole?.form(asOf: store.lastChange), known.keepsSecrets == keepsSecrets {
            form = known
        } else {
            form = try store.encodeState(after: nil, keepingSecrets: keepsSecrets)
        }
        forms = [(place, form)]
        return form
    }

    private func form(at version: UInt64) -> EncodedForm? {
        forms.last { $0.version <= version }?.form
    }

    /// Entries go to the journal that nobody encodes: no known state is before the next ones.
    mutating func passOver() { forms = [] }

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
        if let form { forms.append((place + UInt64(entries.count), form)) }
        guard isOn else { return }
        if let log, log.headVersion != place { self.log = nil }
        if log == nil, let former {
            log = EntryLog(
                SharedBytes(former.bytes()), at: place, since: since,
                entryLimit: limits.historyEntryCount, byteLimit: limits.historyByteCount)
        }
        log?.stage(entries.map(\.withoutSecrets))
    }

    /// Takes in an entry that nobody has encoded, and which is kept.
    mutating func take(_ entry: EncodedEntry) {
        forms = []
        if log?.headVersion == entry.version - 1 { log?.stage([entry]) } else { log = nil }
    }

    /// Lets go of the state that the next entries lead on from: it is made again.
    mutating func dropForms(committed: UInt64, head: UInt64) {
        settle(committed: committed, head: head)
        if forms.count == 1 { forms = [] }
    }

    /// The session goes on from a document of its journal. Where the state is written otherwise today,
    /// no patch leads on from the document, and the next entries have the whole state.
    mutating func restored(_ document: StoredDocument, _ isFaithful: Bool, stated: UInt64) {
        unfaithful = isFaithful ? nil : document.version
        // A journal that has no keys may say any version.
        self.stated = min(stated, document.version)
    }

    /// The journal gets states as a whole, but the largest, a little before it would apply patches for a
    /// snapshot: see `Books.Head.wantsSnapshot`.
    private static let statedCount: UInt64 = 60
    private static let statedByteCount = 2 << 20

    /// A state for the journal, where it is time for one.
    ///
    /// - Parameter entries: which have led to it.
    mutating func state(
        _ form: EncodedForm, at version: UInt64, behind entries: [EncodedEntry]
    ) -> [UInt8]? {
        unstatedByteCount += entries.reduce(0) { $0 + $1.byteCount }
        guard version >= stated, version - stated >= Self.statedCount,
            5 * unstatedByteCount >= form.byteCount, form.byteCount <= Self.statedByteCount,
            !form.holdsSecrets
        else { return nil }
        (stated, unstatedByteCount) = (version, 0)
        return form.bytes()
    }

    /// The schema of the next entries, where the journal has the state before them in another form.
    func newSchema(
        of store: (any TakesActions)?, at version: @autoclosure () -> UInt64
    ) -> Int? {
        unfaithful == nil || isFaithful(at: version()) ? nil : store?.schemaVersion
    }

    /// The journal has the committed state of a version as it is written today.
    func isFaithful(at version: UInt64) -> Bool { unfaithful.map { version > $0 } ?? true }

    /// Takes over what was committed meanwhile, and drops what was lost.
    ///
    /// - Parameter head: the last version that is committed or with the journal.
    mutating func settle(committed: UInt64, head: UInt64) {
        while let last = forms.last, last.version > head { forms.removeLast() }
        while forms.count > 1, forms[1].version <= committed { forms.removeFirst() }
        log?.settle(committed: committed, head: head, form(at: committed))
    }

    /// The form of the committed state, where it is known.
    mutating func form(at committed: UInt64, head: UInt64) -> EncodedForm? {
        guard !forms.isEmpty else { return nil }
        settle(committed: committed, head: head)
        return form(at: committed)
    }
}
