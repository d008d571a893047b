import Journaling
import PostgreSQL
import Sodium
import Threads

/// The tables, and what a database has to be before anything is kept in it.
struct Founding {
    static let format: Int64 = 1

    /// The key by which names of what clients give are made.
    let salt: [UInt8]
    /// The key by which the keys of secrets are sealed.
    let master: SealingKey?
    /// The database's name.
    let place: String
    /// What is acknowledged is on a second disk, too.
    let hasStandby: Bool

    /// Looks at the server, and makes the tables where there are none.
    init(_ address: String, _ options: PostgreSQLJournal.Options) throws(JournalRefusal) {
        guard DatabaseThread.isSupported else {
            throw JournalRefusal("libpq 14 or later is not installed (Debian's package libpq5).")
        }
        let lane = PlainLane(schema: options.schema, lane: .opening)
        do {
            let thread = DatabaseThread(address)
            try thread.start(lane)
            defer { thread.end() }
            guard let server = try thread.wait(for: [Self.server.once()])[0].first else {
                throw DatabaseFailure.unknown
            }
            guard server.number(0) >= 150_000 else {
                throw JournalRefusal(
                    "PostgreSQL is version \(server.number(0) / 10_000), and 15 or later is needed."
                )
            }
            (place, hasStandby) = (server.text(1), server.number(3) == 1)
            if server.number(2) == 0 {
                _ = try thread.wait(for: Self.make(options.schema))
            } else if server.number(4) == 0 {
                // By itself: others, who use the tables, have locks in another order.
                _ = try thread.wait(for: [Self.addFollowed.once()])
            }
            let row = try Self.read(thread, options.hashKey)
            guard row.number(0) == Self.format else {
                throw JournalRefusal(
                    "The journal in \(place) is of another build (format \(row.number(0))).")
            }
            _ = try thread.wait(for: [Self.makeDays.once()])
            salt = row.bytes(1) ?? []
            master = try options.keyFile.map { try Self.readKey($0, row.bytes(2), thread) }
        } catch {
            throw JournalRefusal(database: error)
        }
    }

    private static let server: Statement = """
        SELECT current_setting('server_version_num')::int8, current_database()::text,
            to_regclass('trap') IS NOT NULL, current_setting('synchronous_standby_names') <> '',
            EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('server')
                AND attname = 'followed')
        """

    private static let addFollowed: Statement =
        "ALTER TABLE server ADD COLUMN IF NOT EXISTS followed int8 NOT NULL DEFAULT 0"

    /// The row about the journal, where its tables are this role's.
    private static func read(_ thread: DatabaseThread, _ hashKey: [UInt8]?) throws -> ResultRow {
        if let hashKey {
            let adopt: Statement = """
                UPDATE journal SET salt = $1::bytea WHERE octet_length($1::bytea) = 16
                    AND NOT EXISTS (SELECT FROM session) AND NOT EXISTS (SELECT FROM ended)
                """
            _ = try thread.wait(for: [adopt.once(.bytes(hashKey))])
        }
        let journal: Statement = """
            SELECT format, salt, sealed FROM journal WHERE NOT EXISTS (SELECT FROM pg_class
                WHERE oid IN ('journal'::regclass, 'session'::regclass, 'entry'::regclass)
                    AND NOT pg_has_role(relowner, 'USAGE'))
            """
        guard let row = try thread.wait(for: [journal.once()])[0].first else {
            throw JournalRefusal("The journal's tables belong to another role of PostgreSQL.")
        }
        return row
    }

    private static func make(_ schema: String) -> [Call] {
        let row: Statement = "INSERT INTO journal VALUES (1, $1, 1, $2) ON CONFLICT DO NOTHING"
        let texts =
            [
                "SELECT pg_advisory_xact_lock(\(PlainLane.lockClass), 0)",
                "CREATE SCHEMA IF NOT EXISTS \(PlainLane.quoted(schema))",
            ] + tables.split(separator: ";").map { String($0) }
        return texts.map { Statement(once: $0)() } + [
            row.once(.integer(format), .bytes(KeyedHash.makeKey()))
        ]
    }

    private static let tables = """
        CREATE TABLE IF NOT EXISTS journal(id int2 PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            format int8 NOT NULL, history int8 NOT NULL, salt bytea NOT NULL, sealed bytea);
        CREATE TABLE IF NOT EXISTS server(id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            address text NOT NULL, build text NOT NULL, schemas jsonb NOT NULL, share real NOT NULL,
            draining bool NOT NULL DEFAULT false, expires timestamptz NOT NULL,
            since timestamptz NOT NULL, boot timestamptz NOT NULL, ended timestamptz)
            WITH (fillfactor = 50);
        ALTER TABLE server ADD COLUMN IF NOT EXISTS room int8 NOT NULL DEFAULT 0,
            ADD COLUMN IF NOT EXISTS relays int8 NOT NULL DEFAULT 0,
            ADD COLUMN IF NOT EXISTS followed int8 NOT NULL DEFAULT 0;
        CREATE TABLE IF NOT EXISTS session(id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE, epoch text NOT NULL, history int8 NOT NULL,
            created int8 NOT NULL, maker int4 NOT NULL, status int2 NOT NULL DEFAULT 0,
            schema int4 NOT NULL, lease int8 NOT NULL, holder int8, head int8 NOT NULL DEFAULT 0,
            at int8 NOT NULL, chain int4 NOT NULL, alarm int8, data_key bytea, forgotten int8)
            WITH (fillfactor = 70);
        CREATE INDEX IF NOT EXISTS session_alarm ON session(alarm) WHERE alarm IS NOT NULL;
        CREATE INDEX IF NOT EXISTS session_forgotten ON session(id) WHERE forgotten IS NOT NULL;
        CREATE TABLE IF NOT EXISTS entry(session int8 NOT NULL, version int8 NOT NULL,
            day int2 NOT NULL, at int8 NOT NULL, flags int8 NOT NULL, sum int4 NOT NULL, print bytea,
            head bytea NOT NULL, patch bytea, sealed bytea, PRIMARY KEY (session, version, day))
            PARTITION BY RANGE (day);
        ALTER TABLE entry ALTER head SET STORAGE MAIN, ALTER patch SET STORAGE MAIN;
        CREATE TABLE IF NOT EXISTS snapshot(session int8 NOT NULL, version int8 NOT NULL, at int8,
            changed int8 NOT NULL, schema int4 NOT NULL, chain int4 NOT NULL, work_version int8,
            work bytea, keys bytea, state bytea NOT NULL, sealed bytea, sum int4 NOT NULL,
            PRIMARY KEY (session, version));
        CREATE TABLE IF NOT EXISTS ended(name_hash bytea PRIMARY KEY, until int8 NOT NULL);
        CREATE TABLE IF NOT EXISTS trap(session int8 NOT NULL, version int8 NOT NULL, at int8 NOT NULL,
            build text NOT NULL, count int8 NOT NULL, PRIMARY KEY (session, version))
        """

    /// Makes the tables of today's and tomorrow's entries. Each is made by itself and then taken in, for
    /// which nobody who reads or appends waits.
    static let makeDays: Statement = """
        DO $$
        DECLARE today int := floor(extract(epoch FROM clock_timestamp()) / 86400);
        BEGIN
            PERFORM pg_advisory_xact_lock(\(PlainLane.lockClass), 0);
            FOR day IN today..today + 1 LOOP
                CONTINUE WHEN to_regclass('entry_' || day) IS NOT NULL;
                EXECUTE format('CREATE TABLE entry_%s (LIKE entry INCLUDING ALL)', day);
                EXECUTE format('ALTER TABLE entry ATTACH PARTITION entry_%s '
                    'FOR VALUES FROM (%s) TO (%s)', day, day, day + 1);
            END LOOP;
        END $$
        """

    // MARK: The key of secrets

    /// Reads the key, or makes it where no secret was ever sealed in this journal.
    ///
    /// - Parameter sealed: nothing, sealed by the key; nil where there is none yet.
    private static func readKey(
        _ path: String, _ sealed: [UInt8]?, _ thread: DatabaseThread
    ) throws -> SealingKey {
        var key = PrivateFolder.readKey(path).flatMap { SealingKey($0) }
        if key == nil, sealed == nil {
            let made = SealingKey.make()
            guard PrivateFolder.writeKey(made.bytes, to: path) else {
                throw JournalRefusal("The key file \(path) can be neither read nor made.")
            }
            key = made
        }
        guard let key else { throw JournalRefusal("The key file \(path) cannot be read.") }
        let claim: Statement =
            "UPDATE journal SET sealed = coalesce(sealed, $1::bytea) RETURNING sealed"
        let found = try thread.wait(for: [claim.once(.bytes(key.seal([], at: "journal")))])[0].first
        guard let found = found?.bytes(0), key.open(found, at: "journal") != nil else {
            throw JournalRefusal("By the key in \(path) this journal's secrets are not sealed.")
        }
        return key
    }
}

extension JournalRefusal {
    init(database error: any Error) {
        switch error {
        case let refusal as JournalRefusal: self = refusal
        case DatabaseFailure.refused(_, let message):
            self.init("PostgreSQL keeps no journal for this role: \(message).")
        case DatabaseFailure.unreachable(let reason):
            self.init("PostgreSQL cannot be used: \(reason).")
        default: self.init("PostgreSQL cannot be used: the connection was lost.")
        }
    }
}
