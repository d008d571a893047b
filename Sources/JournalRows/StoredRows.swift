package import Journaling
package import Redux
package import Sodium

/// An entry's row.
package struct StoredEntry: Sendable {
    /// The journal's number of its session.
    package let session: Int64
    /// Its place among all entries, and that of the one before it of its session, 0 where there was none; 0
    /// in a journal that does not number them.
    package let (seq, previous): (Int64, Int64)
    /// Without its secrets.
    package let entry: EncodedEntry
    /// The lowest bit says that the state was visible; above eight bits stands the schema.
    package let flags: Int64
    package let sealed: [UInt8]?
    /// Of all the rest, behind the sum of the row before it.
    package var sum: UInt32

    /// - Parameters:
    ///   - flags: as they stand in the row; nil for those of the entry and its schema.
    ///   - sealed: its secrets; nil for those of the entry, which a key seals.
    ///   - sum: of the row, or of the one before it until its own is known.
    package init(
        _ entry: EncodedEntry, of session: Int64, seq: Int64 = 0, previous: Int64 = 0,
        flags: Int64? = nil, schema: Int = 0, sealed: [UInt8]? = nil, by key: SealingKey? = nil,
        sum: UInt32
    ) {
        self.flags = flags ?? (entry.isLast ? 1 : 0) | Int64(schema) << 8
        self.sealed =
            sealed
            ?? entry.secrets.flatMap { key?.seal($0.value, at: "entry \(entry.version)") }
        var entry = entry
        entry.secrets = nil
        (self.session, self.seq, self.previous) = (session, seq, previous)
        (self.entry, self.sum) = (entry, sum)
    }

    package var version: UInt64 { entry.version }
    package var isLast: Bool { entry.isLast }
    package var schema: Int { Int(flags >> 8) }
    /// It has led to another state.
    package var isChange: Bool { entry.patch != nil || sealed != nil }

    /// The patch that sets its secrets; nil where there are none.
    package func secrets(by key: SealingKey) throws(JournalFailure) -> Secret<[UInt8]>? {
        guard let sealed else { return nil }
        guard let opened = key.open(sealed, at: "entry \(version)") else {
            throw .damaged(good: version == 0 ? nil : version - 1)
        }
        return Secret(opened)
    }
}

/// A session's state at a version at which it was visible.
package struct StoredState: Sendable {
    package var document: StoredDocument
    /// The sum of its version's entry.
    package var chain: UInt32
    /// The numbers of its session and its version's entry, in a journal that numbers entries.
    package var (session, seq): (Int64, Int64) = (0, 0)
    /// The newest words about the session's work.
    package var work: KeptWork?
    /// The keys of the entries since the state before.
    package var keys: KeyList?
    /// The state with its secrets; nil where it has none.
    package var sealed: [UInt8]?

    package init(_ document: StoredDocument, chain: UInt32 = 0) {
        (self.document, self.chain) = (document, chain)
    }

    /// The state with its secrets.
    package func whole(by key: SealingKey) throws(JournalFailure) -> [UInt8] {
        guard let sealed else { return document.json }
        guard let opened = key.open(sealed, at: "state \(document.version)") else {
            throw .damaged(good: nil)
        }
        return opened
    }

    /// Keeps the state with its secrets beside the one without.
    package mutating func seal(_ whole: [UInt8], by key: SealingKey) {
        sealed = key.seal(whole, at: "state \(document.version)")
    }
}

/// A state of before, from which a session is to go on.
package struct FormerState: Sendable {
    package let document: StoredDocument
    /// The same with its secrets; nil where it has none.
    package let whole: [UInt8]?

    /// The entry that sets all of it, behind a session's last one.
    package func entry(
        _ given: EncodedEntry, behind version: UInt64, at last: Timestamp
    ) -> EncodedEntry {
        var entry = given
        entry.version = version + 1
        entry.at = max(entry.at, last)
        entry.patch = EncodedEntry.replacement(by: document.json)
        entry.secrets = whole.map { Secret(EncodedEntry.replacement(by: $0)) }
        return entry
    }

    /// What is kept with that entry.
    ///
    /// - Parameter keys: of the entries before it.
    package func state(
        of entry: EncodedEntry, chain: UInt32, _ keys: [KeptKey]?, epoch: String,
        by key: SealingKey?
    ) -> StoredState {
        var state = StoredState(document, chain: chain)
        (state.document.version, state.document.lastChange) = (entry.version, entry.version)
        state.document.lastTime = entry.at
        // Works of the state begin with the entry.
        state.work = KeptWork(since: entry.version, epoch: epoch)
        state.keys = KeyList(keys ?? [])
        if let whole, let key { state.seal(whole, by: key) }
        return state
    }
}
