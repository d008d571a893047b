import JournalRows
import Journaling
import SQLite

/// Entries that have to go, as they are too old, or too many.
extension Books {
    /// Looks whether entries have to go: those that are too old, and of too many bytes the oldest.
    ///
    /// - Parameter isDiskFull: as many as may go.
    mutating func checkSize(isDiskFull: Bool, in database: Database) throws {
        let now = now
        let oldest = try oldest(at: now, in: database)
        let pageCount = try database.first(
            "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count")
        let isOver =
            (pageCount?[0].integer ?? 0) * Int64(Self.pageByteCount) > options.byteCount
        let kept =
            isOver || isDiskFull
            ? Self.keyDuration : max(options.keptMilliseconds, Self.keyDuration)
        let old = oldest.flatMap { $0[0].integer < now - kept ? $0[1].integer : nil }
        upkeep.isFull = isOver && old == nil
        if upkeep.trimming == nil, let old { upkeep.trimming = (now - kept, old, 0) }
    }

    /// The time and the number of the oldest entry. One that is dated ahead, by a clock that was wrong, is as old
    /// as the next one that is not, for which a stretch is looked through each time.
    private mutating func oldest(at now: Int64, in database: Database) throws -> [SQLValue]? {
        let found = try database.first(
            """
            SELECT min(seq) FILTER (WHERE at <= ?1), max(seq) FROM
                (SELECT seq, at FROM entry WHERE seq > ?2 ORDER BY seq LIMIT 4096)
            """, .integer(now), .integer(upkeep.aheadThrough))
        guard let found, found[1].optional != nil else {
            upkeep.aheadThrough = 0
            return nil
        }
        guard let oldest = found[0].optional else {
            upkeep.aheadThrough = found[1].integer
            return nil
        }
        return try database.first("SELECT at, seq FROM entry WHERE seq = ?1", .integer(oldest))
    }

    /// Overwrites the oldest entries; a session that would lose the way to its state gets a snapshot first.
    mutating func trim(in database: Database) throws {
        guard let (time, known, through) = upkeep.trimming else { return }
        let oldest = try database.rows(
            "SELECT seq, session, at FROM entry WHERE seq > ?1 ORDER BY seq LIMIT 128",
            .integer(through))
        let now = now
        let isOld = { (row: [SQLValue]) in row[0].integer <= known || row[2].integer < time }
        // Those that are dated ahead go with an old one behind them.
        let first = oldest.prefix { isOld($0) || $0[2].integer > now }
        let old = first.prefix((first.lastIndex(where: isOld) ?? -1) + 1)
        guard let last = old.last?[0].integer else {
            (upkeep.trimming, upkeep.truncatesLog) = (nil, true)
            upkeep.aheadThrough = 0
            return
        }
        try keepLastSeq(in: database)
        var kept: Set<Int64> = []
        for session in Set(old.map(\.[1].integer)).sorted()
        where try !detach(session, through: last, in: database) {
            kept.insert(session)
        }
        for row in old where !kept.contains(row[1].integer) {
            _ = try Self.overwrite(row[0], of: row[1], in: database)
        }
        upkeep.logByteCount += 128 * Self.pageByteCount
        upkeep.trimming = (time, known, last)
    }

    /// Makes a session independent of entries up to one; false for a damaged one, which is left as it
    /// is.
    private mutating func detach(
        _ session: Int64, through seq: Int64, in database: Database
    ) throws -> Bool {
        let found = try database.first(
            "SELECT * FROM session WHERE id = ?1 AND status = 0", .integer(session))
        guard let found else { return true }
        if damaged.contains(session) { return false }
        do {
            reading = session
            let row = try SessionRow(found)
            let head = try head(of: row, in: database)
            let newest = try StoredState.find(session, atMost: .max, in: database)
            if let newest, newest.seq <= seq, newest.seq != head.place.seq {
                try snapshot(session, at: head, in: database)
            }
            if head.place.seq <= seq { try write(session, in: database) }
            reading = nil
        } catch JournalFailure.damaged, JournalFailure.missingKey {
            reading = nil
            return false
        }
        let left = try database.first(
            """
            SELECT min(version) FROM snapshot WHERE session = ?1 AND (seq >= ?2 OR version =
                (SELECT max(version) FROM snapshot WHERE session = ?1))
            """, .integer(session), .integer(seq))
        try Self.overwriteSnapshots(of: session, before: left?[0].version ?? 0, in: database)
        return true
    }
}
