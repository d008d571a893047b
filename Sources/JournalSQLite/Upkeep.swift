import JournalRows
import Journaling
import SQLite

/// Work that no answer waits for: each transaction does a little of it.
struct Upkeep: Sendable {
    /// Sessions that want a snapshot, with a state of it that is known.
    var snapshots: WantedStates = [:]
    /// `scrub` may have rows.
    var isScrubbing = true
    /// Entries before this time go, and all up to the number `old`; those up to `through` were looked at. Nil
    /// where none have to.
    var trimming: (time: Int64, old: Int64, through: Int64)?
    /// The oldest entries, up to a number, that were found to be dated ahead.
    var aheadThrough: Int64 = 0
    /// The journal has as many bytes as it may, and none that may go.
    var isFull = false
    /// Of the tables, those among them that are being erased.
    var sessionCount = 0
    /// What was freed is to leave the log, too.
    var truncatesLog = false
    /// Bytes in the log since the last checkpoint, about: each change of a row is a page.
    var logByteCount = 0
    /// Sessions whose rows say something else.
    var dirtyCount = 0
    /// Bytes of entries since rows were written the last time.
    var unflushedByteCount = 0
    /// Sessions whose rows are being written, in the order of their ids, so that rows of one page are
    /// written together; the number of those that are done; and the entry up to which all rows are true
    /// behind the last.
    var flush: (sessions: [Int64], count: Int, end: Int64)?

    var isPending: Bool {
        !snapshots.isEmpty || isScrubbing || trimming != nil || flush != nil
    }
}

extension Books {
    /// Keys of entries so young may be asked for: no such entry is trimmed.
    static let keyDuration: Int64 = 24 * 3600 * 1000
    /// The bytes of entries after which sessions' rows are written: after a crash so much is scanned.
    private static let flushByteCount = 64 << 20
    static let pageByteCount = 4_096
    /// The sessions whose rows are not written, at most: 48 bytes each.
    private static let dirtyCount = 250_000

    /// Does a little of each kind, more where nobody waits: snapshots at the pace of the entries.
    mutating func doUpkeep(besides jobCount: Int, in database: Database) throws {
        upkeep.logByteCount += 3 * Self.pageByteCount
        reading = nil
        if upkeep.flush == nil,
            upkeep.unflushedByteCount >= Self.flushByteCount
                || upkeep.dirtyCount >= Self.dirtyCount
        {
            beginFlush()
        }
        // As much as comes, so that it ends.
        try flush(max(64, jobCount), in: database)
        for (session, state) in upkeep.snapshots.prefix(jobCount == 0 ? 16 : 1 + jobCount / 64) {
            upkeep.snapshots[session] = nil
            try snapshotUnlessDamaged(session, state, in: database)
        }
        if upkeep.isScrubbing {
            try database.overwritingFreedPages { try scrubMore(in: database) }
            scrubbing = nil
        }
        if upkeep.trimming != nil {
            try database.overwritingFreedPages { try trim(in: database) }
        }
    }

    /// Upkeep has met a damaged page, and is taken back: it leaves out the session, or the job, or what has
    /// neither ends.
    mutating func noteDamagedPage() {
        if let session = reading.take() {
            damaged.insert(session)
            upkeep.snapshots[session] = nil
        } else if let job = scrubbing.take() {
            lastUnscrubbed = job
        } else {
            (upkeep.flush, upkeep.isScrubbing, upkeep.trimming) = (nil, false, nil)
        }
    }

    private mutating func beginFlush() {
        let dirty = heads.filter(\.value.isDirty).keys.sorted()
        upkeep.flush = (dirty, 0, lastSeq)
        upkeep.unflushedByteCount = 0
    }

    private mutating func flush(_ rowCount: Int, in database: Database) throws {
        guard let (sessions, count, end) = upkeep.flush else { return }
        let next = sessions.dropFirst(count).prefix(rowCount)
        for session in next { try write(session, in: database) }
        upkeep.logByteCount += next.count * Self.pageByteCount
        upkeep.flush?.count += next.count
        guard count + next.count == sessions.count else { return }
        upkeep.flush = nil
        try change(in: database) { $0.flushed = end }
    }

    /// Writes all that a restart would have to look for.
    mutating func finish(in database: Database) throws {
        try transact(in: database) { books in
            books.upkeep.flush = nil
            books.beginFlush()
            try books.flush(.max, in: database)
        }
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: Snapshots

    /// A session that is damaged gets none, and is found so when it is opened.
    private mutating func snapshotUnlessDamaged(
        _ session: Int64, _ state: StoredDocument?, in database: Database
    ) throws {
        guard var head = heads[session] else { return }
        do {
            reading = session
            try snapshot(session, at: head, having: state, in: database)
            reading = nil
        } catch let error where !(error is DatabaseError) {
            reading = nil
            head.tail.count = 0
            set(head, of: session)
        }
    }

    /// Keeps the state at a session's end: its newest snapshot, and the patches behind it; or one shortly
    /// before that is known.
    mutating func snapshot(
        _ session: Int64, at end: Head, having state: StoredDocument? = nil,
        _ work: KeptWork? = nil, in database: Database
    ) throws {
        let passage =
            try tails.passage(of: session, having: state, to: end.place.seq, in: database)
            ?? Passage(of: session, to: end.place, in: database)
        var row = try self.state(of: session, passage, having: state, in: database)
        row.work = work ?? row.work
        try row.insert(in: database)
        upkeep.logByteCount += row.document.json.count + Self.pageByteCount
        guard var head = heads[session] else { return }
        tails.begin(session, behind: row)
        let byteCount = head.tail.byteCount
        head.tail = Tail(row, to: head.place.version)
        if head.tail.count > 0 { head.tail.byteCount = byteCount }
        set(head, of: session)
    }

    /// The state at a version that a passage leads to.
    private mutating func state(
        of session: Int64, _ passage: Passage, at version: UInt64 = .max,
        having state: StoredDocument? = nil, in database: Database
    ) throws -> StoredState {
        let epoch =
            try passage.tellsOfWork ? SessionRow.epoch(of: session, in: database) : ""
        let key = try passage.hasSecrets ? sealing.key(of: session, in: database) : nil
        return try passage.state(at: version, having: state, epoch: epoch, hash: hash, by: key)
    }

    /// Keeps what work needs; a session that goes to sleep has a short way back.
    mutating func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool, in database: Database
    ) throws {
        let head = try head(lease)
        if work != nil || isAsleep && head.tail.count >= 16 {
            // Another one may stand there, with more words.
            try database.overwritingFreedPages {
                try snapshot(lease.session, at: head, having: nil, work, in: database)
            }
        }
        guard isAsleep, var head = heads[lease.session] else { return }
        head.lease = 0
        set(head, of: lease.session)
        try write(lease.session, in: database)
    }

    /// Has a session's next entry begin another epoch, once it is kept which works its entries began in
    /// theirs.
    mutating func begin(
        _ epoch: String, of lease: Lease, in database: Database
    ) throws {
        try snapshot(lease.session, at: head(lease), in: database)
        try SessionRow.begin(epoch, of: lease.session, in: database)
    }

    // MARK: Erasing

    /// One snapshot takes the place of what stands up to a version, and of the rest of its batch: what that
    /// has changed is told by its last entry alone.
    mutating func forget(
        _ lease: Lease, through version: UInt64, in database: Database
    ) throws {
        let (head, session) = (try head(lease), lease.session)
        guard version <= head.place.version else { throw JournalFailure.compacted(oldest: nil) }
        var passage = try Passage(of: session, around: version, to: head.place, in: database)
        let end = passage.end(ofBatchAt: version)
        // A snapshot there may know more of the work than those entries.
        if end > version {
            passage = try Passage(of: session, around: end, to: head.place, in: database)
        }
        var row = try state(of: session, passage, at: end, in: database)
        let older = try StoredState.keys(
            of: session, since: now - Self.keyDuration, by: hash, in: database)
        row.keys = KeyList(
            older.filter { $0.last <= passage.base.document.version }
                + (try passage.keys(through: row.document.version, by: hash)))
        // One that stands there may have had keys that are old by now.
        try database.overwritingFreedPages { try row.insert(in: database) }
        tails.drop(session)
        try scrub(session, from: row.seq, before: row.document.version, in: database)
        // No entry may be left to say where it ends.
        try write(session, in: database)
    }

    /// Has entries overwritten, from one back to the first, and snapshots before a version.
    private mutating func scrub(
        _ session: Int64, from seq: Int64, before version: UInt64, in database: Database
    ) throws {
        // What led to the oldest was overwritten before.
        let oldest = try database.first(
            "SELECT min(seq) FROM snapshot WHERE session = ?1", .integer(session))
        try database.overwritingFreedPages {
            try Self.overwriteSnapshots(of: session, before: version, in: database)
        }
        try database.run(
            "INSERT INTO scrub(session, seq, until) VALUES (?1, ?2, ?3)", .integer(session),
            .integer(seq), .integer(oldest?[0].integer ?? 0))
        try keepLastSeq(in: database)
        upkeep.isScrubbing = true
    }

    mutating func erase(_ name: SessionName, in database: Database) throws {
        let found = try database.first(
            "SELECT id FROM session WHERE name = ?1", .text(name.description))
        guard let found else { return }
        let now = now
        try database.run("DELETE FROM ended WHERE until <= ?1", .integer(now))
        try database.run(
            "INSERT OR REPLACE INTO ended VALUES (?1, ?2)",
            .bytes(hash.hash(of: Array(name.description.utf8))), .integer(now + 3_600_000))
        try erase(found[0].integer, in: database)
    }

    mutating func erase(_ session: Int64, in database: Database) throws {
        let row = try database.first(
            """
            UPDATE session SET name = 'erased ' || id, status = 2, alarm = NULL, data_key = NULL
            WHERE id = ?1 RETURNING head_seq
            """, .integer(session))
        let seq = heads[session]?.place.seq ?? row?[0].integer ?? 0
        try scrub(session, from: seq, before: 0, in: database)
        set(nil, of: session)
        // Another one may have its number.
        upkeep.snapshots[session] = nil
        suspects[session] = nil
        damaged.remove(session)
        sealing.drop(session)
        tails.drop(session)
    }

    /// Throws where a session of the name was ended lately.
    func checkEnded(_ name: SessionName, in database: Database) throws {
        let until = try database.first(
            "SELECT until FROM ended WHERE name_hash = ?1",
            .bytes(hash.hash(of: Array(name.description.utf8))))
        if let until, now < until[0].integer { throw JournalFailure.ended }
    }

    /// Overwrites a stretch of one session's entries, the newest first: deleting alone leaves bytes of
    /// them in pages that are used again.
    private mutating func scrubMore(in database: Database) throws {
        let next = try database.first(
            "SELECT id, session, seq, until FROM scrub WHERE id > ?1 ORDER BY id LIMIT 1",
            .integer(lastUnscrubbed))
        guard let job = next else {
            (upkeep.isScrubbing, upkeep.truncatesLog) = (false, true)
            return
        }
        scrubbing = job[0].integer
        var (seq, last) = (job[2], job[2])
        upkeep.logByteCount += 256 * Self.pageByteCount
        for _ in 0..<256 {
            if let row = try Self.overwrite(seq, of: job[1], in: database) {
                // A damaged one may name any.
                (seq, last) = (.integer(min(row[0].integer, seq.integer - 1)), seq)
                continue
            }
            guard seq.integer > job[3].integer,
                let slice = try Self.slice(of: job[1], before: last, job[3], in: database)
            else { return try finishScrub(job[0], of: job[1], in: database) }
            (seq, last) = (slice.next, slice.next)
            if !slice.isFound { break }
        }
        try database.run("UPDATE scrub SET seq = ?2 WHERE id = ?1", job[0], seq)
    }

    /// - Returns: the number of the entry before it; nil where there is none.
    static func overwrite(
        _ seq: SQLValue, of session: SQLValue, in database: Database
    ) throws -> [SQLValue]? {
        let previous = try database.first(
            """
            UPDATE entry SET head = zeroblob(length(head)), patch = zeroblob(length(patch)),
                sealed = zeroblob(length(sealed)) WHERE seq = ?1 AND session = ?2
            RETURNING previous
            """, seq, session)
        try database.run("DELETE FROM entry WHERE seq = ?1 AND session = ?2", seq, session)
        return previous
    }

    /// The newest entry of a session in a stretch of those before one, to which a damaged one does not lead;
    /// where there is none, the stretch's oldest entry. Nil where nothing is before it, or what was overwritten
    /// earlier.
    private static func slice(
        of session: SQLValue, before last: SQLValue, _ until: SQLValue, in database: Database
    ) throws -> (next: SQLValue, isFound: Bool)? {
        let found = try database.first(
            """
            SELECT min(seq), max(seq) FILTER (WHERE session = ?1) FROM
                (SELECT seq, session FROM entry WHERE seq < ?2 AND seq > ?3
                ORDER BY seq DESC LIMIT 4096)
            """, session, last, until)
        guard let found, found[0].optional != nil else { return nil }
        return found[1].optional == nil ? (found[0], false) : (found[1], true)
    }

    private mutating func finishScrub(
        _ id: SQLValue, of session: SQLValue, in database: Database
    ) throws {
        let ended = try database.first(
            "SELECT 1 FROM session WHERE id = ?1 AND status = 2", session)
        if ended != nil {
            try Self.overwriteSnapshots(of: session.integer, before: .max, in: database)
            try database.run("DELETE FROM session WHERE id = ?1", session)
            upkeep.sessionCount -= 1
        }
        try database.run("DELETE FROM scrub WHERE id = ?1", id)
    }

    /// One row a statement: of several SQLite keeps the former bytes until the last is changed.
    static func overwriteSnapshots(
        of session: Int64, before version: UInt64, in database: Database
    ) throws {
        let session = SQLValue.integer(session)
        let found = try database.rows(
            "SELECT version FROM snapshot WHERE session = ?1 AND version < ?2", session,
            .integer(Int64(clamping: version)))
        for row in found {
            try database.run(
                """
                UPDATE snapshot SET state = zeroblob(length(state)), keys = zeroblob(length(keys)),
                    work = zeroblob(length(work)), sealed = zeroblob(length(sealed))
                WHERE session = ?1 AND version = ?2
                """, session, row[0])
            try database.run(
                "DELETE FROM snapshot WHERE session = ?1 AND version = ?2", session, row[0])
        }
    }
}
