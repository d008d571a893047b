import GRDB
import Journaling
import Redux
import SQLite

/// Work that no answer waits for: each transaction does a little of it.
struct Upkeep: Sendable {
    /// The bytes of entries after which sessions' rows are written: after a crash so much is scanned.
    private static let flushByteCount = 64 << 20
    /// The sessions whose rows are not written, at most: 48 bytes each.
    private static let dirtyCount = 250_000

    /// Sessions that want a snapshot.
    var snapshots: Set<Int64> = []
    /// Rows of `scrub`.
    var scrubs: [Int64] = []
    /// Entries before this time go; nil where none have to.
    var trimTime: Int64?
    /// Entries up to here were looked at by the present trimming.
    var trimmed: Int64 = 0
    /// The journal has as many bytes as it may, and none that may go.
    var isFull = false
    /// The disk had no room for the last transaction.
    var isDiskFull = false
    /// What was freed is to leave the log, too.
    var truncatesLog = false
    /// Pages in the log since the last checkpoint, about.
    var pageCount = 0

    /// Sessions whose rows say something else; a round of writing them, and where it began.
    private var dirty: Set<Int64> = []
    private var flushing: [Int64] = []
    private var flushTarget: Int64 = 0
    private var unflushedByteCount = 0

    private var takenHeads: [Int64] = []
    private var takenSnapshots: [Int64] = []
    var finishedScrub: Int64?

    var isPending: Bool {
        !snapshots.isEmpty || !scrubs.isEmpty || trimTime != nil || !flushing.isEmpty
    }

    var isFlushing: Bool { !flushing.isEmpty }

    mutating func noteAppended(_ byteCount: Int) {
        unflushedByteCount += byteCount
        pageCount += (byteCount + 1) / 4_096
    }

    mutating func noteDirty(_ session: Int64) { dirty.insert(session) }

    /// Begins to write the rows of all sessions, where it is time.
    mutating func beginFlush(at seq: Int64, isNow: Bool) {
        guard flushing.isEmpty, takenHeads.isEmpty,
            isNow || unflushedByteCount >= Self.flushByteCount || dirty.count >= Self.dirtyCount
        else { return }
        flushing = dirty.sorted(by: >)
        dirty = []
        unflushedByteCount = 0
        flushTarget = seq
    }

    /// The next sessions in the order of their ids, so that rows of one page are written together.
    ///
    /// - Returns: the entry up to which all rows are true behind these; nil where more are to come.
    mutating func takeHeads() -> (sessions: [Int64], flushed: Int64?) {
        guard !flushing.isEmpty else { return ([], nil) }
        takenHeads = Array(flushing.suffix(64).reversed())
        flushing.removeLast(takenHeads.count)
        return (takenHeads, flushing.isEmpty ? flushTarget : nil)
    }

    mutating func takeSnapshots(_ count: Int) -> [Int64] {
        takenSnapshots = Array(snapshots.prefix(count))
        snapshots.subtract(takenSnapshots)
        return takenSnapshots
    }

    mutating func commit() {
        takenHeads = []
        takenSnapshots = []
        pageCount += 3
        guard let finished = finishedScrub.take() else { return }
        scrubs.removeAll { $0 == finished }
        truncatesLog = truncatesLog || scrubs.isEmpty
    }

    mutating func rollBack() {
        flushing += takenHeads.reversed()
        snapshots.formUnion(takenSnapshots)
        takenHeads = []
        takenSnapshots = []
        finishedScrub = nil
    }
}

extension Books {
    /// Keys of entries so young may be asked for: no such entry is trimmed.
    static let keyDuration: Int64 = 24 * 3600 * 1000

    /// Does a little of each kind, more where nobody waits: snapshots at the pace of the entries.
    mutating func doUpkeep(besides jobCount: Int, in database: Database) throws {
        upkeep.beginFlush(at: lastSeq, isNow: false)
        try flush(in: database)
        for session in upkeep.takeSnapshots(jobCount == 0 ? 16 : 1 + jobCount / 64) {
            try snapshotUnlessDamaged(session, in: database)
        }
        if let scrub = upkeep.scrubs.first { try self.scrub(scrub, in: database) }
        if let time = upkeep.trimTime { try trim(before: time, in: database) }
    }

    private mutating func flush(in database: Database) throws {
        let (sessions, flushed) = upkeep.takeHeads()
        for session in sessions { try write(session, in: database) }
        if let flushed { try setFlushed(flushed, in: database) }
    }

    /// Writes all that a restart would have to look for.
    mutating func flushAll(in database: Database) throws {
        upkeep.beginFlush(at: lastSeq, isNow: true)
        while upkeep.isFlushing { try flush(in: database) }
        try setFlushed(lastSeq, in: database)
    }

    // MARK: Snapshots

    /// A session that is damaged gets none, and is found so when it is opened.
    private mutating func snapshotUnlessDamaged(
        _ session: Int64, in database: Database
    ) throws {
        do {
            try snapshot(session, in: database)
        } catch let error where !(error is DatabaseError) {
            guard var head = heads[session] else { return }
            head.tailCount = 0
            set(head, of: session)
        }
    }

    /// Keeps the state at a session's end: its newest snapshot, and the patches behind it.
    mutating func snapshot(
        _ session: Int64, _ work: KeptWork? = nil, in database: Database
    ) throws {
        guard var head = heads[session] else { return }
        let end = head.place
        let tail = tails.rows(of: session)
        let stretch =
            try tail.flatMap { try Stretch(of: session, having: $0, in: database) }
            ?? Stretch(of: session, around: end.version, to: end, in: database)
        var row = stretch.base
        if !stretch.rows.isEmpty {
            row = SnapshotRow(
                session: session, seq: end.seq, chain: head.sum,
                document: try stretch.document(at: end.version),
                keys: try SnapshotRow.encode(stretch.keys()))
            let key = try sealing.key(of: session, in: database)
            row.seal(try stretch.whole(at: end.version, by: key), by: key)
        }
        row.work = work ?? row.work
        try row.insert(in: database)
        upkeep.pageCount += row.document.json.count / 4_096 + 1
        (head.tailCount, head.tailByteCount) = (0, 0)
        head.stateByteCount = row.document.json.count
        set(head, of: session)
        tails.begin(session)
    }

    /// Keeps what work needs; a session that goes to sleep has a short way back.
    mutating func keep(
        _ work: KeptWork?, of lease: Lease, isAsleep: Bool, in database: Database
    ) throws {
        guard let head = head(lease) else { throw JournalFailure.heldElsewhere }
        if work != nil || isAsleep && head.tailCount >= 16 {
            try snapshot(lease.session, work, in: database)
        }
        guard isAsleep, var head = heads[lease.session] else { return }
        head.lease = 0
        set(head, of: lease.session)
        try write(lease.session, in: database)
    }

    // MARK: Erasing

    /// One snapshot takes the place of what stands up to a version.
    mutating func forget(
        _ lease: Lease, through version: UInt64, now: Int64, in database: Database
    ) throws {
        guard let head = head(lease) else { throw JournalFailure.heldElsewhere }
        let session = lease.session
        guard version <= head.place.version else { throw JournalFailure.compacted(oldest: nil) }
        let stretch = try Stretch(of: session, around: version, to: head.place, in: database)
        var row = stretch.base
        if let last = stretch.visible(at: version) {
            row = SnapshotRow(
                session: session, seq: last.seq, chain: last.sum,
                document: try stretch.document(at: version))
            let key = try sealing.key(of: session, in: database)
            row.seal(try stretch.whole(at: version, by: key), by: key)
        }
        let before = stretch.base.document.version
        let keys = try SnapshotRow.keys(
            of: session, since: now - Self.keyDuration, in: database)
        row.keys = try SnapshotRow.encode(
            keys.filter { $0.last <= before } + stretch.keys(through: row.document.version))
        row.work = try SnapshotRow.work(of: session, in: database)
        try row.insert(in: database)
        try scrub(session, from: row.seq, before: row.document.version, in: database)
    }

    /// Has entries overwritten, from one back to the first, and snapshots before a version.
    private mutating func scrub(
        _ session: Int64, from seq: Int64, before version: UInt64, in database: Database
    ) throws {
        try Self.overwriteSnapshots(of: session, before: version, in: database)
        try database.run(
            "INSERT INTO scrub(session, seq) VALUES (?1, ?2)", .integer(session), .integer(seq))
        let id = try database.first("SELECT last_insert_rowid()")
        if let id { upkeep.scrubs.append(id[0].integer) }
    }

    mutating func erase(_ lease: Lease, now: Int64, in database: Database) throws {
        guard let head = head(lease) else { throw JournalFailure.heldElsewhere }
        let name = try database.first(
            "SELECT name FROM session WHERE id = ?1", .integer(lease.session))
        try database.run("DELETE FROM ended WHERE until <= ?1", .integer(now))
        try database.run(
            "INSERT OR REPLACE INTO ended VALUES (?1, ?2)",
            .bytes(hash.hash(of: Array((name?[0].text ?? "").utf8))), .integer(now + 3_600_000))
        try database.run(
            """
            UPDATE session SET name = 'erased ' || id, status = 2, alarm = NULL, data_key = NULL
            WHERE id = ?1
            """, .integer(lease.session))
        try scrub(lease.session, from: head.place.seq, before: 0, in: database)
        set(nil, of: lease.session)
        sealing.drop(lease.session)
        tails.drop(lease.session)
    }

    /// Throws where a session of the name was ended lately.
    func checkEnded(_ name: SessionName, now: Int64, in database: Database) throws {
        let until = try database.first(
            "SELECT until FROM ended WHERE name_hash = ?1",
            .bytes(hash.hash(of: Array(name.description.utf8))))
        if let until, now < until[0].integer { throw JournalFailure.ended }
    }

    /// Overwrites a stretch of one session's entries, the newest first: deleting alone leaves bytes of
    /// them in pages that are used again.
    private mutating func scrub(_ id: Int64, in database: Database) throws {
        let job = try database.first("SELECT session, seq FROM scrub WHERE id = ?1", .integer(id))
        guard let session = job?[0].integer, var seq = job?[1].integer else {
            return upkeep.finishedScrub = id
        }
        for _ in 0..<256 {
            guard let previous = try Self.overwrite(seq, of: session, in: database) else {
                try Self.finishScrub(id, of: session, in: database)
                return upkeep.finishedScrub = id
            }
            seq = previous
        }
        upkeep.pageCount += 256
        try database.run(
            "UPDATE scrub SET seq = ?2 WHERE id = ?1", .integer(id), .integer(seq))
    }

    /// - Returns: the number of the entry before it; nil where there is none.
    private static func overwrite(
        _ seq: Int64, of session: Int64, in database: Database
    ) throws -> Int64? {
        let previous = try database.first(
            "SELECT previous FROM entry WHERE seq = ?1 AND session = ?2", .integer(seq),
            .integer(session))
        guard let previous else { return nil }
        try database.run(
            """
            UPDATE entry SET head = zeroblob(length(head)),
                patch = iif(patch IS NULL, NULL, zeroblob(length(patch))),
                sealed = iif(sealed IS NULL, NULL, zeroblob(length(sealed))) WHERE seq = ?1
            """, .integer(seq))
        try database.run("DELETE FROM entry WHERE seq = ?1", .integer(seq))
        return previous[0].integer
    }

    private static func finishScrub(
        _ id: Int64, of session: Int64, in database: Database
    ) throws {
        try database.run("DELETE FROM scrub WHERE id = ?1", .integer(id))
        let status = try database.first(
            "SELECT status FROM session WHERE id = ?1", .integer(session))
        guard status?[0].integer == 2 else { return }
        try overwriteSnapshots(of: session, before: .max, in: database)
        try database.run("DELETE FROM session WHERE id = ?1", .integer(session))
    }

    private static func overwriteSnapshots(
        of session: Int64, before version: UInt64, in database: Database
    ) throws {
        let (session, version) = (
            SQLValue.integer(session), SQLValue.integer(Int64(clamping: version))
        )
        try database.run(
            """
            UPDATE snapshot SET state = zeroblob(length(state)),
                keys = iif(keys IS NULL, NULL, zeroblob(length(keys))),
                work = iif(work IS NULL, NULL, zeroblob(length(work))),
                sealed = iif(sealed IS NULL, NULL, zeroblob(length(sealed)))
            WHERE session = ?1 AND version < ?2
            """, session, version)
        try database.run(
            "DELETE FROM snapshot WHERE session = ?1 AND version < ?2", session, version)
    }

    // MARK: Trimming

    /// Looks whether entries have to go: those that are too old, and of too many bytes the oldest.
    mutating func checkSize(now: Int64, in database: Database) throws {
        let oldest = try database.first("SELECT at FROM entry ORDER BY seq LIMIT 1")
        let pageCount = try database.first(
            "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count")
        let byteCount = (pageCount?[0].integer ?? 0) * 4_096
        let isOver = upkeep.isDiskFull || byteCount > options.byteCount
        let kept = isOver ? Self.keyDuration : max(options.keptMilliseconds, Self.keyDuration)
        let isTrimmable = oldest.map { $0[0].integer < now - kept } ?? false
        upkeep.isFull = byteCount > options.byteCount && !isTrimmable
        guard upkeep.trimTime == nil, isTrimmable else { return }
        upkeep.trimTime = now - kept
        upkeep.trimmed = 0
    }

    /// Deletes the oldest entries; a session that would lose the way to its state gets a snapshot first.
    private mutating func trim(before time: Int64, in database: Database) throws {
        let oldest = try database.rows(
            "SELECT seq, session, at FROM entry WHERE seq > ?1 ORDER BY seq LIMIT 512",
            .integer(upkeep.trimmed))
        let old = oldest.prefix { $0[2].integer < time }
        guard let last = old.last?[0].integer else { return upkeep.trimTime = nil }
        var kept: Set<Int64> = []
        for session in Set(old.map(\.[1].integer)).sorted()
        where try !detach(session, through: last, in: database) {
            kept.insert(session)
        }
        for row in old where !kept.contains(row[1].integer) {
            try database.run("DELETE FROM entry WHERE seq = ?1", row[0])
        }
        upkeep.pageCount += 64
        upkeep.trimmed = last
    }

    /// Makes a session independent of entries up to one; false for a damaged one, which is left as it
    /// is.
    private mutating func detach(
        _ session: Int64, through seq: Int64, in database: Database
    ) throws -> Bool {
        let wasKnown = heads[session] != nil
        do {
            let row = try database.first(
                "SELECT \(SessionRow.columns) FROM session WHERE id = ?1 AND status = 0",
                .integer(session))
            guard let row else { return true }
            let head = try head(of: SessionRow(row), in: database)
            let newest = try SnapshotRow.find(session, atMost: .max, in: database)
            if let newest, newest.seq <= seq, newest.seq != head.place.seq {
                set(head, of: session)
                try snapshot(session, in: database)
            }
        } catch JournalFailure.damaged, JournalFailure.missingKey {
            return false
        }
        if !wasKnown { set(nil, of: session) }
        try database.run(
            """
            DELETE FROM snapshot WHERE session = ?1 AND seq < ?2 AND version <
                (SELECT max(version) FROM snapshot WHERE session = ?1)
            """, .integer(session), .integer(seq))
        return true
    }
}
