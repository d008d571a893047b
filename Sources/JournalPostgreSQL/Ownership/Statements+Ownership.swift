import PostgreSQL

/// Who has what: sessions by their rows, and servers by theirs.
extension Statements {
    // MARK: Sessions

    /// $1 names, $2 me: as `open`, of those whose rows nobody has in hand.
    static let openAll: Statement = """
        WITH n AS (SELECT x.id AS session
            FROM unnest($1::text[]) AS r(name) JOIN session x ON x.name = r.name
            WHERE status < 2 AND \(isFree(for: "$2")) FOR UPDATE OF x SKIP LOCKED)
        UPDATE session x SET lease = lease + 1, holder = $2::int8 FROM n WHERE x.id = n.session
        RETURNING \(columns), \(present)
        """

    /// $1 name, $2 me: where another server takes requests for it.
    static let holder: Statement = """
        SELECT s.address FROM session x JOIN server s ON s.id = x.holder
        WHERE x.name = $1::text AND x.status < 2 AND s.ended IS NULL AND s.id <> $2::int8
            AND s.address <> '-'
        """

    /// $1 sessions, $2 their leases, $3 the addresses of those that have them next, or nothing: an append that
    /// is late finds another lease.
    static let release: Statement = """
        UPDATE session x SET lease = x.lease + 1, holder = (SELECT max(s.id) FROM server s
            WHERE s.address = r.address AND s.ended IS NULL)
        FROM unnest($1::int8[], $2::int8[], $3::text[]) AS r(id, lease, address)
        WHERE x.id = r.id AND x.lease = r.lease AND x.status = 0 RETURNING x.id
        """

    // MARK: Servers

    /// $1…$6 as in `renew`, $7 build. Nobody sees the row without its lock.
    static let join: Statement = """
        WITH s AS (INSERT INTO server(address, build, schemas, share, draining, relays, followed,
                expires, since, boot)
            VALUES ($1::text, $7::text, $6::text::jsonb, $2::int8 / 1000.0, $3::int8 = 1, $4::int8, $5::int8,
                clock_timestamp() + interval '10 s', clock_timestamp(), pg_postmaster_start_time())
            RETURNING id)
        SELECT id, pg_advisory_lock(\(lockClass), id::int4) FROM s
        """

    /// $1 me: what is left of my former connection gives the lock back.
    static let leave: Statement = """
        SELECT pg_terminate_backend(pid) FROM pg_locks l WHERE \(isLock(of: "$1::int8"))
            AND pid <> pg_backend_pid()
        """

    static let comeBack: Statement = """
        WITH s AS (UPDATE server SET expires = clock_timestamp() + interval '10 s',
                since = clock_timestamp(), boot = pg_postmaster_start_time()
            WHERE id = $1::int8 AND ended IS NULL RETURNING id)
        SELECT id, pg_advisory_lock(\(lockClass), id::int4) FROM s
        """

    /// Until when m, who is $1, ends not s: for the $2 milliseconds for which it ends nobody. Whose row is of
    /// another start of the database has 10 s to come back: from that start on where it was behind the last
    /// renewal; else another database took its place, at a time that is unknown, and m takes that since which
    /// it is there itself.
    private static let timeOfReturn = """
        greatest(m.since + $2::int8 * interval '1 ms',
            CASE WHEN s.boot = pg_postmaster_start_time() THEN m.since
            WHEN s.expires < pg_postmaster_start_time() + interval '10 s'
            THEN least(pg_postmaster_start_time(), m.since) + interval '10 s'
            ELSE m.since + interval '10 s' END)
        """

    /// $1 me, $2 as above: the milliseconds until all have had the time to come back who have not yet; null
    /// where there are none.
    static let awaited: Statement = """
        SELECT max((extract(epoch FROM \(timeOfReturn) - clock_timestamp()) * 1000)::int8)
        FROM server s JOIN server m ON m.id = $1::int8
        WHERE s.ended IS NULL AND s.boot <> pg_postmaster_start_time()
        """

    /// $1 my address, $2 thousandths of my share, $3 1 where I go, $4 requests sent to others, $5 sessions of
    /// these that I follow, $6 the schemas that I read, $7 me.
    static let renew: Statement = """
        UPDATE server SET expires = clock_timestamp() + interval '10 s', address = $1::text,
            share = $2::int8 / 1000.0, draining = $3::int8 = 1, relays = $4::int8,
            followed = $5::int8, schemas = $6::text::jsonb
        WHERE id = $7::int8 AND ended IS NULL RETURNING id
        """

    private static let liveColumns =
        "address, (share * 1000)::int8, draining, relays, followed, schemas::text"

    static let servers: Statement =
        "SELECT \(liveColumns) FROM server WHERE ended IS NULL AND address <> '-' ORDER BY id"

    /// $1 me. The others, with their sessions and the milliseconds since their last renewals.
    static let report: Statement = """
        SELECT \(liveColumns), s.id, build, coalesce(count, 0),
            (extract(epoch FROM clock_timestamp() - expires + interval '10 s') * 1000)::int8
        FROM server s LEFT JOIN (SELECT holder, count(*) AS count FROM session
            WHERE holder IS NOT NULL GROUP BY holder) h ON h.holder = s.id
        WHERE ended IS NULL AND s.id <> $1::int8 ORDER BY s.id
        """

    /// $1 me, $2 as above: 1 for who was dead and is ended; 0 for who has lost its connection, and is dead half
    /// a second later unless it is back; -1 for both as long as I may end them not. Who has come back to the
    /// database ends nobody for 10 s, else all would end all behind an outage. Nobody waits for a row that is
    /// in somebody's hand, of a process that is gone, too.
    static let endDead: Statement = """
        WITH gone AS (SELECT s.id, s.expires <= clock_timestamp() AS is_dead,
                clock_timestamp() > \(timeOfReturn) AS may
            FROM server s JOIN server m ON m.id = $1::int8 WHERE s.ended IS NULL AND s.id <> $1
            AND (s.expires <= clock_timestamp() OR (s.boot = pg_postmaster_start_time()
                AND NOT EXISTS (SELECT FROM pg_locks l WHERE \(isLock(of: "s.id")))))
            FOR UPDATE OF s SKIP LOCKED),
        e AS (UPDATE server s SET ended = CASE WHEN is_dead THEN clock_timestamp() END,
                expires = least(expires, clock_timestamp() + interval '500 ms')
            FROM gone WHERE s.id = gone.id AND may)
        SELECT CASE WHEN may THEN is_dead::int4 ELSE -1 END::int8 FROM gone
        """

    /// $1 me: what I have may be opened by others at once.
    static let finish: Statement = "UPDATE server SET ended = clock_timestamp() WHERE id = $1::int8"

    static let lockClass = "hashtext('statecast ' || current_schema())"

    private static func isLock(of server: String) -> String {
        """
        l.locktype = 'advisory' AND l.classid = \(lockClass)::oid AND l.objid = (\(server))::oid
            AND l.objsubid = 2 AND l.granted
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
    }
}
