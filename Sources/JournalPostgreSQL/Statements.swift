package import PostgreSQL
import Threads

/// What is asked of the database. A test puts another statement in the place of one that is a variable,
/// to see that it is needed.
package struct Statements: Sendable {
    static let usual = Statements()

    static let columns =
        "id, name, epoch, history, created, maker, schema, lease, head, at, chain, alarm, data_key"
    /// The history that there is, and where traps have ended servers of this build.
    static let present = """
        (SELECT history FROM journal),
            (SELECT string_agg((2 * t.version + (t.count > 1)::int)::text, ' ') FROM trap t
                WHERE t.session = x.id AND t.build = '\(RunningBuild.id)')
        """
    private static let entryColumns = "version, at, flags, session, print, head, patch, sealed, sum"
    private static let snapshotColumns =
        "version, at, changed, schema, chain, work_version, work, keys, state, sealed, sum"
    /// Parameters from one on, numbers and bytes, or arrays of them.
    private static func values(from first: Int, _ kinds: String, _ suffix: String = "") -> String {
        kinds.enumerated().map { "$\(first + $0)::\($1 == "b" ? "bytea" : "int8")\(suffix)" }
            .joined(separator: ", ")
    }
    /// Keeps a state of the session `h`, of parameters from one on.
    private static func snapshot(from first: Int) -> String {
        """
        INSERT INTO snapshot(session, \(snapshotColumns))
            SELECT id, \(values(from: first, "nnnnnnbbbbn")) FROM h
        """
    }
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"
    private static let today =
        "(SELECT floor(extract(epoch FROM clock_timestamp()) / 86400)::int2)"
    /// Nobody has it, or I, or a server that has ended, of which there may be no row any more.
    static func isFree(for me: String) -> String {
        """
        (holder IS NULL OR holder = \(me)::int8
            OR coalesce((SELECT s.ended IS NOT NULL FROM server s WHERE s.id = x.holder),
                x.holder < (SELECT max(id) FROM server)))
        """
    }

    // MARK: Entries

    /// $1…$9 sessions, distinct and in their order, $10…$18 their entries; gives those that are kept. As
    /// a join with `h` the second part would be a nested loop: 60 µs an entry at 500, and 10 as it stands.
    package var append: Statement = """
        WITH h AS (UPDATE session x SET head = r.expected + r.count, at = r.at, chain = r.chain,
                alarm = r.alarm, schema = r.schema, data_key = coalesce(x.data_key, r.data_key)
            FROM unnest(\(values(from: 1, "nnnnnnnnb", "[]")))
                AS r(id, lease, expected, count, at, chain, alarm, schema, data_key)
            WHERE x.id = r.id AND x.lease = r.lease AND x.head = r.expected AND x.status = 0
            RETURNING x.id),
        e AS (INSERT INTO entry(\(entryColumns), day)
            SELECT e.*, \(today) FROM unnest(\(values(from: 10, "nnnnbbbbn", "[]")))
                AS e(\(entryColumns))
            WHERE (e.session IN (SELECT id FROM h)) IS TRUE)
        SELECT id FROM h
        """

    // MARK: One session

    /// $1 name, $2 me. It settles what is unknown: it waits for who still has the row, and what comes
    /// later finds another lease.
    package var open: Statement = """
        UPDATE session x SET lease = lease + 1, holder = $2::int8
        WHERE name = $1::text AND status < 2 AND \(isFree(for: "$2"))
        RETURNING \(columns), \(present)
        """

    /// $1 names, $2 their hashes; of each, in their order: somebody has it; it was ended.
    package var look: Statement = """
        SELECT EXISTS (SELECT FROM session x WHERE x.name = n.name),
            EXISTS (SELECT FROM ended WHERE name_hash = n.hash AND until > \(now))
        FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS n(name, hash, number)
        ORDER BY n.number
        """

    let find: Statement =
        "SELECT \(columns), \(present) FROM session x WHERE name = $1::text AND status = 0"

    /// $1 sessions, $2 versions that are being made of them, $3 me: a trap ends me.
    let trap: Statement = """
        INSERT INTO trap(session, version, at, build, count)
        SELECT DISTINCT x.id, r.version, \(now), '\(RunningBuild.id)', 1
        FROM unnest($1::int8[], $2::int8[]) AS r(id, version)
            JOIN session x ON x.id = r.id AND x.holder = $3::int8
        ON CONFLICT (session, version) DO UPDATE SET at = excluded.at, build = excluded.build,
            count = CASE WHEN trap.build = excluded.build AND trap.at > excluded.at - 60000
                THEN trap.count + 1 ELSE 1 END
        """

    /// One server after the other, none of which waits for a standby with its row in hand.
    let alone: Statement = """
        SELECT set_config('synchronous_commit', 'local', true),
            pg_advisory_xact_lock(\(lockClass), 0)
        """

    /// $1 the most sessions, $2 me. Gives how many of them I may make, this one included: at most a hundredth
    /// of all, and half of what others have not reserved. A table of few pages is not counted.
    let reserve: Statement = """
        WITH n AS (SELECT CASE WHEN pg_relation_size('session') / 128 < $1::int8 / 2
                THEN pg_relation_size('session') / 128
                ELSE (SELECT count(*) FROM (SELECT FROM session LIMIT $1) AS s) END
            + (SELECT coalesce(sum(room), 0)::int8 FROM server
                WHERE ended IS NULL AND id <> $2::int8) AS count),
        g AS (SELECT least(($1 - count + 1) / 2, greatest($1 / 100, 1)) AS count FROM n)
        UPDATE server SET room = greatest(g.count - 1, 0) FROM g WHERE id = $2
        RETURNING g.count
        """

    /// $1…$9 a session; then a snapshot. Gives its row.
    let make: Statement = """
        WITH h AS (INSERT INTO session(name, epoch, history, created, at, head, maker, schema, lease,
                holder, chain, alarm, data_key)
            SELECT $1::text, $2::text, (SELECT history FROM journal), $3::int8,
                coalesce($11::int8, $3), $10::int8, $4::int8, $5::int8, 1, $6::int8, $7::int8,
                $8::int8, $9::bytea
            ON CONFLICT (name) DO NOTHING RETURNING \(columns)),
        s AS (\(snapshot(from: 10)))
        SELECT \(columns) FROM h
        """

    private static let replacing = """
        ON CONFLICT (session, version) DO UPDATE SET work_version = excluded.work_version,
            work = excluded.work, keys = excluded.keys, sealed = excluded.sealed,
            sum = excluded.sum
        """

    /// $1 session: what the transaction looks at behind it is what others have left.
    let lock: Statement = "SELECT id FROM session WHERE id = $1::int8 FOR UPDATE"

    /// $1 session, $2 its lease, or null for who does not have it; a snapshot; then the version and the sum of
    /// the one that it is made from. Where that is not there any more, what was forgotten would come back, or
    /// keys would be lost.
    package var keep: Statement = """
        WITH h AS (SELECT id FROM session WHERE id = $1::int8 AND lease = coalesce($2::int8, lease)
            AND status = 0 AND EXISTS (SELECT FROM snapshot WHERE session = $1
                AND version = $14::int8 AND sum = $15::int8))
        \(snapshot(from: 3)) \(replacing) RETURNING session
        """

    /// $1 session, $2 lease; then a snapshot, before which nothing stays.
    let forget: Statement = """
        WITH h AS (UPDATE session SET forgotten = greatest(coalesce(forgotten, 0), $3)
            WHERE id = $1::int8 AND lease = $2::int8 AND status = 0 RETURNING id),
        d AS (DELETE FROM snapshot x USING h WHERE x.session = h.id AND x.version < $3),
        s AS (\(snapshot(from: 3)) \(replacing))
        SELECT id FROM h
        """

    /// $1 session, $2 lease as it was, $3 me, $4 epoch, $5 history, $6 alarm, $7 key; an entry, and then a
    /// snapshot of it.
    let revert: Statement = """
        WITH h AS (UPDATE session x SET lease = lease + 1, epoch = $4::text, history = $5::int8,
                alarm = $6::int8, data_key = coalesce(data_key, $7::bytea), head = $17::int8,
                at = $9::int8, schema = $20::int8, chain = $21::int8
            WHERE id = $1::int8 AND lease = $2::int8 AND head = $8::int8 - 1 AND status = 0
                AND \(isFree(for: "$3")) RETURNING id),
        e AS (INSERT INTO entry(\(entryColumns), day)
            SELECT \(values(from: 8, "nnnnbbbbn")), \(today) FROM h),
        s AS (\(snapshot(from: 17)))
        SELECT id FROM h
        """

    /// $1 session, $2 lease, $3 epoch: one whose end was lost goes on in another.
    let renewEpoch: Statement = """
        UPDATE session SET epoch = $3::text, history = (SELECT history FROM journal)
        WHERE id = $1::int8 AND lease = $2::int8 RETURNING id
        """

    /// $1 history: what memory knows was lost.
    let raiseHistory: Statement = "UPDATE journal SET history = $1::int8 + 1 WHERE history = $1"

    /// $1 name, $2 its hash, $3 me.
    let erase: Statement = """
        WITH h AS (UPDATE session x SET name = 'erased ' || id, status = 2, lease = lease + 1,
                holder = NULL, alarm = NULL, data_key = NULL, forgotten = head
            WHERE name = $1::text AND status < 2 AND \(isFree(for: "$3")) RETURNING id),
        d AS (DELETE FROM snapshot x USING h WHERE x.session = h.id),
        n AS (INSERT INTO ended SELECT $2::bytea, \(now) + 3600000 FROM h
            ON CONFLICT (name_hash) DO UPDATE SET until = excluded.until)
        SELECT id FROM h
        """

    // MARK: Reading

    /// $1 session, $2 version: the newest snapshot at it or before.
    let base: Statement = """
        SELECT \(snapshotColumns) FROM snapshot WHERE session = $1::int8 AND version <= $2::int8
        ORDER BY version DESC LIMIT 1
        """

    /// $1, $2 as above, $3 the last version: the entries behind that snapshot, up to the next.
    let tail: Statement = """
        SELECT \(entryColumns) FROM entry WHERE session = $1::int8 AND version >
            (SELECT max(version) FROM snapshot WHERE session = $1 AND version <= $2::int8)
        AND version <= least($3::int8, (SELECT min(version) FROM snapshot
            WHERE session = $1 AND version > $2)) ORDER BY version
        """

    let oldest: Statement = "SELECT min(version) FROM snapshot WHERE session = $1::int8"

    /// $1 session, $2 time: the newest first.
    let keys: Statement = """
        SELECT keys FROM snapshot WHERE session = $1::int8 AND at >= $2::int8 AND keys IS NOT NULL
        ORDER BY version DESC
        """

    /// $1 name behind which, $2 how many.
    let sessions: Statement = """
        SELECT \(columns) FROM session WHERE name > $1::text AND status = 0 ORDER BY name
        LIMIT $2::int8
        """

    /// $1 how many, $2 me, $3 time: those that are due and nobody has, or I; and the next one, whoever has it.
    let alarms: Statement = """
        (SELECT \(columns) FROM session x WHERE alarm <= $3::int8 AND \(isFree(for: "$2"))
        ORDER BY alarm LIMIT $1::int8)
        UNION ALL
        (SELECT \(columns) FROM session x WHERE alarm > $3 ORDER BY alarm LIMIT 1)
        """

    // MARK: Upkeep

    /// $1 a session's number: some of those behind it whose entries up to a version are to go.
    let forgotten: Statement = """
        SELECT id, forgotten FROM session WHERE forgotten IS NOT NULL AND id > $1::int8 ORDER BY id
        LIMIT 16
        """

    let forgottenCount: Statement = "SELECT count(*) FROM session WHERE forgotten IS NOT NULL"

    /// $1 sessions, $2 versions: some of the entries of each; gives those that had none left.
    let scrub: Statement = """
        WITH r AS MATERIALIZED (SELECT session, version, least(version, 300 +
                (SELECT min(e.version) FROM entry e WHERE e.session = r.session)) AS last
            FROM unnest($1::int8[], $2::int8[]) AS r(session, version)),
        d AS (DELETE FROM entry e USING r WHERE e.session = r.session AND e.version <= r.last
            RETURNING e.session)
        SELECT session, version FROM r WHERE NOT EXISTS (SELECT FROM d WHERE d.session = r.session)
        """

    /// $1 sessions, $2 versions: of those that were erased the rows go, unless another server is about it, and
    /// entries are left.
    let endScrub: Statement = """
        WITH r AS (SELECT * FROM unnest($1::int8[], $2::int8[]) AS r(session, version)
            WHERE NOT EXISTS (SELECT FROM entry e WHERE e.session = r.session
                AND e.version <= r.version)),
        d AS (DELETE FROM session USING r
            WHERE id = r.session AND forgotten = r.version AND status = 2)
        UPDATE session SET forgotten = NULL FROM r
        WHERE id = r.session AND forgotten = r.version AND status = 0
        """

    /// Names that are free again, traps of yesterday, and servers that have ended; the youngest of these stays:
    /// by it those are known of which there is no row.
    let endOld: Statement = """
        WITH n AS (DELETE FROM ended WHERE until <= \(now)),
        t AS (DELETE FROM trap WHERE at < \(now) - 86400000)
        DELETE FROM server WHERE ended < clock_timestamp() - interval '1 day'
            AND id < (SELECT max(id) FROM server)
        """

    /// The days of which there are entries, the oldest first, with their bytes, today, and the bytes of states.
    let days: Statement = """
        SELECT substring(c.relname FROM 7)::int8, pg_total_relation_size(c.oid),
            \(today)::int8, pg_total_relation_size('snapshot')
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'entry'::regclass ORDER BY 1
        """

    /// $1 sessions, $2 versions before which their states go.
    let dropStates: Statement = """
        DELETE FROM snapshot s USING unnest($1::int8[], $2::int8[]) AS d(session, version)
        WHERE s.session = d.session AND s.version < d.version
        """
}
