internal import CPostgreSQL
import Foundation
import CSQLite
import Journaling
import PostgreSQL
import Redux
import Threads

/// Appends to a file, and syncs each batch: what any journal costs at least.
struct FileWriter {
    private let file: Int32

    init(_ path: String) throws {
        file = unsafe open("\(path)/file", O_CREAT | O_RDWR | O_TRUNC, 0o600)
    }

    func run(_ load: Load) -> Measured {
        var watch = Stopwatch()
        var count = 0
        let entry = [UInt8](repeating: 0, count: 16) + Sample.head + Sample.patch
        var buffer: [UInt8] = []
        while !watch.isOver(load) {
            let begun = Stopwatch.now
            buffer.removeAll(keepingCapacity: true)
            for _ in 0..<load.inFlight { buffer += entry }
            guard unsafe write(file, buffer, buffer.count) == buffer.count, fdatasync(file) == 0
            else { break }
            watch.note(Stopwatch.now - begun)
            count += load.inFlight
        }
        close(file)
        return watch.measured(count)
    }
}

/// Inserts rows in the order of arrival through SQLite's functions, nothing else.
@safe struct RawWriter {
    private let database: OpaquePointer?

    init(_ path: String) throws {
        var opened: OpaquePointer?
        unsafe sqlite3_open("\(path)/raw.sqlite", &opened)
        unsafe database = opened
        for sql in [
            "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA cache_size=-65536",
            """
            CREATE TABLE entry(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,
            version INTEGER NOT NULL, previous INTEGER NOT NULL, at INTEGER NOT NULL,
            head BLOB NOT NULL, patch BLOB)
            """,
        ] {
            unsafe sqlite3_exec(database, sql, nil, nil, nil)
        }
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        unsafe sqlite3_prepare_v3(
            database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        return unsafe statement
    }

    func run(_ load: Load) -> Measured {
        let (begin, commit) = unsafe (prepare("BEGIN IMMEDIATE"), prepare("COMMIT"))
        let insert = unsafe prepare("INSERT INTO entry VALUES(?1,?2,?3,?4,?5,?6,?7)")
        var versions = [Int64](repeating: 0, count: load.sessions)
        var last = versions
        var sequence: Int64 = 0
        var watch = Stopwatch()
        while !watch.isOver(load) {
            let begun = Stopwatch.now
            unsafe step(begin)
            for _ in 0..<load.inFlight {
                let session = Int.random(in: 0..<load.sessions)
                sequence += 1
                versions[session] += 1
                let numbers = [sequence, Int64(session), versions[session], last[session], 1]
                for (index, number) in numbers.enumerated() {
                    unsafe sqlite3_bind_int64(insert, Int32(index + 1), number)
                }
                unsafe Sample.head.withUnsafeBytes { head in
                    unsafe Sample.patch.withUnsafeBytes { patch in
                        unsafe sqlite3_bind_blob(
                            insert, 6, head.baseAddress, Int32(head.count), nil)
                        unsafe sqlite3_bind_blob(
                            insert, 7, patch.baseAddress, Int32(patch.count), nil)
                        unsafe step(insert)
                    }
                }
                last[session] = sequence
            }
            unsafe step(commit)
            watch.note(Stopwatch.now - begun)
        }
        let measured = watch.measured(Int(sequence))
        unsafe sqlite3_finalize(begin)
        unsafe sqlite3_finalize(commit)
        unsafe sqlite3_finalize(insert)
        unsafe sqlite3_close(database)
        return measured
    }

    private func step(_ statement: OpaquePointer?) {
        let code = unsafe sqlite3_step(statement)
        precondition(code == SQLITE_DONE, "SQLite says \(code).")
        unsafe sqlite3_reset(statement)
    }
}

/// Appends through libpq's functions, nothing else: one statement for all that is in flight.
@safe final class RawDatabase {
    private let connection: OpaquePointer
    private let isUnreplicated = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    private static let append = """
        WITH h AS (UPDATE session x SET head = r.expected + r.count, at = r.at
            FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[])
                AS r(id, lease, expected, count, at)
            WHERE x.id = r.id AND x.lease = r.lease AND x.head = r.expected AND x.status = 0
            RETURNING x.id),
        e AS (INSERT INTO entry SELECT e.session, e.version, 0, 0, 0, e.head, e.patch
            FROM unnest($6::int8[], $7::int8[], $8::bytea[], $9::bytea[])
                AS e(session, version, head, patch)
            WHERE (e.session IN (SELECT id FROM h)) IS TRUE)
        SELECT id FROM h
        """

    init(_ address: String, _ count: Int) throws {
        guard cpostgresql_load(), let connection = unsafe cpostgresql_connect(address),
            unsafe cpostgresql_begin_pipeline(connection, isUnreplicated)
        else { throw CocoaError(.executableLoad) }
        unsafe self.connection = connection
        for setting in ["hashjoin", "mergejoin", "seqscan"] { ask("SET enable_\(setting) = off") }
        ask("SET plan_cache_mode = force_generic_plan")
        ask(
            """
            CREATE TABLE session(id int8 PRIMARY KEY, lease int8 NOT NULL, head int8 NOT NULL,
                at int8 NOT NULL, status int2 NOT NULL) WITH (fillfactor = 70)
            """)
        ask(
            """
            CREATE TABLE entry(session int8, version int8, at int8, flags int4, sum int4,
                head bytea NOT NULL, patch bytea, PRIMARY KEY (session, version))
            """)
        ask("INSERT INTO session SELECT n, 1, 0, 0, 0 FROM generate_series(0, \(count - 1)) AS n")
        unsafe precondition(cpostgresql_prepare(connection, "append", Self.append))
    }

    deinit {
        unsafe cpostgresql_finish(connection)
        unsafe isUnreplicated.deallocate()
    }

    func run(_ load: Load) -> Measured {
        var versions = [Int64](repeating: 0, count: load.sessions)
        var watch = Stopwatch()
        var count = 0
        while !watch.isOver(load) {
            let begun = Stopwatch.now
            var sessions: Set<Int> = []
            while sessions.count < min(load.inFlight, load.sessions) {
                sessions.insert(Int.random(in: 0..<load.sessions))
            }
            let each = Int64(load.inFlight / sessions.count)
            let ids = sessions.sorted()
            let heads = ids.map { id -> [Parameter] in
                [Int64(id), 1, versions[id], each, 1].map { .integer($0) }
            }
            let rows = ids.flatMap { id in
                (1...each).map { step -> [Parameter] in
                    [
                        .integer(Int64(id)), .integer(versions[id] + step),
                        .bytes(Sample.head), .bytes(Sample.patch),
                    ]
                }
            }
            let kept = ask("append", "", heads.columns + rows.columns)
            precondition(kept == ids.count, "PostgreSQL keeps \(kept).")
            for id in ids { versions[id] += each }
            watch.note(Stopwatch.now - begun)
            count += rows.count
        }
        return watch.measured(count)
    }

    /// - Returns: the rows of the last statement that gives some.
    @discardableResult
    private func ask(_ name: String, _ text: String, _ parameters: [Parameter]) -> Int {
        let (bytes, counts) = parameters.encoded
        unsafe precondition(
            cpostgresql_send(connection, name, text, Int32(counts.count), bytes, counts)
                && cpostgresql_sync(connection), "PostgreSQL is gone.")
        while unsafe cpostgresql_flush(connection) == 1 { wait(for: POLLOUT) }
        var count = 0
        while true {
            while unsafe cpostgresql_is_busy(connection) {
                wait(for: POLLIN)
                unsafe precondition(cpostgresql_consume(connection), "PostgreSQL is gone.")
            }
            guard let result = unsafe cpostgresql_result(connection) else { continue }
            defer { unsafe cpostgresql_clear(result) }
            switch unsafe cpostgresql_result_status(result) {
            case PGRES_PIPELINE_SYNC: return count
            case PGRES_TUPLES_OK: count = Int(unsafe cpostgresql_row_count(result))
            case PGRES_COMMAND_OK: break
            default:
                preconditionFailure(
                    unsafe String(cString: cpostgresql_result_error(result, Int32(77))))
            }
        }
    }

    private func ask(_ text: String) { ask("", text, []) }

    private func wait(for event: Int32) {
        var polled = pollfd(
            fd: unsafe cpostgresql_socket(connection), events: Int16(event), revents: 0)
        _ = unsafe poll(&polled, 1, -1)
    }
}

/// Hands entries to a journal, from one thread, as a loop does: the next for each outcome.
final class JournalWriter: AppendReceiver {
    private let journal: any Journal
    private let arrived = Monitor<[TicketOutcome]>([])
    private let leases: [Lease]

    init(_ journal: any Journal, _ count: Int) async throws {
        self.journal = journal
        leases = try await withThrowingTaskGroup(of: Lease?.self) { group in
            for id in 0..<count {
                group.addTask {
                    let new = NewSession(
                        epoch: "k3f9x2ab", created: Timestamp(milliseconds: 1), schema: 1
                    ) { Sample.state }
                    return try await journal.open(
                        SessionName(mount: "/list", id: "s\(id)"), making: new)?.lease
                }
            }
            return try await group.reduce(into: []) { leases, lease in
                if let lease { leases.append(lease) }
            }
        }
    }

    func appended(_ outcomes: [TicketOutcome]) {
        arrived.withLock { $0 += outcomes }
        arrived.wakeOne()
    }

    func run(_ load: Load) async -> Measured {
        let measured = drive(load)
        await journal.close()
        return measured
    }

    private func drive(_ load: Load) -> Measured {
        var versions = [UInt64](repeating: 0, count: leases.count)
        var begun = [Int](repeating: 0, count: load.inFlight)
        var watch = Stopwatch()
        var count = 0
        for ticket in 0..<load.inFlight { submit(ticket, &versions, &begun) }
        while !watch.isOver(load) {
            let outcomes = arrived.wait { arrived -> [TicketOutcome]? in
                defer { arrived = [] }
                return arrived.isEmpty ? nil : arrived
            }
            for (ticket, outcome) in outcomes {
                precondition(outcome == .kept, "The journal says \(outcome).")
                watch.note(Stopwatch.now - begun[Int(ticket)])
                submit(Int(ticket), &versions, &begun)
            }
            count += outcomes.count
        }
        return watch.measured(count)
    }

    private func submit(_ ticket: Int, _ versions: inout [UInt64], _ begun: inout [Int]) {
        let session = Int.random(in: 0..<leases.count)
        begun[ticket] = Stopwatch.now
        let entry = EncodedEntry(
            version: versions[session] + 1, at: Timestamp(milliseconds: 1), head: Sample.head,
            patch: Sample.patch)
        // As a session does.
        let batch = AppendBatch(
            lease: leases[session], expected: versions[session], count: 1,
            state: entry.version % 60 == 0 ? Sample.state : nil, receiver: self,
            ticket: UInt64(ticket))
        versions[session] += 1
        let outcome = journal.append(batch, [entry])
        precondition(outcome == nil, "The journal says \(outcome.map { "\($0)" } ?? "").")
    }
}
