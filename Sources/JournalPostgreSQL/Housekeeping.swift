package import Journaling
import PostgreSQL
import Threads

/// Work that no answer waits for; of each kind a piece after the other, however long another kind takes.
final class Housekeeping: Sendable {
    private typealias Work =
        @Sendable (PostgreSQLJournal) -> () async throws(JournalFailure) -> Void

    private let tasks = Lock([Task<Void, Never>]())
    /// Why the last piece of a kind has failed.
    private let failures = Lock([Int: JournalFailure]())

    func begin(_ journal: PostgreSQLJournal) {
        let second = Duration.seconds(1)
        begin(PostgreSQLJournal.keepWanted, of: journal, after: second, every: second)
        guard !journal.options.isGuest else { return }
        begin(PostgreSQLJournal.scrub, of: journal, after: second * 5, every: second * 5)
        begin(PostgreSQLJournal.trim, of: journal, after: second * 2, every: second * 60)
    }

    private func begin(
        _ work: @escaping Work, of journal: PostgreSQLJournal, after first: Duration,
        every pause: Duration
    ) {
        tasks.withLock { tasks in
            let kind = tasks.count
            let task = Task { [weak journal] in
                var next = first
                while (try? await ContinuousClock().sleep(for: next)) != nil, let journal {
                    // What fails is told, and tried again the next time.
                    var failure: JournalFailure?
                    do throws(JournalFailure) { try await work(journal)() } catch {
                        failure = error
                    }
                    failures.withLock { [failure] in $0[kind] = failure }
                    next = pause
                }
            }
            tasks.append(task)
        }
    }

    /// Why the last piece of a kind has failed; nil where none has.
    var failure: JournalFailure? { failures.withLock { $0.values.first } }

    func close() async {
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

extension PostgreSQLJournal {
    fileprivate func keepWanted() async throws(JournalFailure) {
        for (head, state) in appender.inbox.withLock({ $0.takeWanted() }) where !Task.isCancelled {
            do throws(JournalFailure) {
                try await keep(head, having: state)
            } catch {
                // It is damaged, or somebody else's, and found so when it is opened.
            }
        }
    }

    /// Deletes the entries of what was forgotten, and the sessions that were erased.
    package func scrub() async throws(JournalFailure) {
        try await run(statements.endOld())
        var last: ResultRow?
        repeat {
            // Each once, however many there are: what comes behind them waits for the next time.
            var left = try await run(statements.forgotten(.integer(last?.number(0) ?? .min)))
            last = left.last
            while !left.isEmpty, !Task.isCancelled {
                let done = try await run(statements.scrub(left.map(\.place).columns))
                if !done.isEmpty { try await run(statements.endScrub(done.map(\.place).columns)) }
                let ended = Set(done.map { $0.number(0) })
                left.removeAll { ended.contains($0.number(0)) }
            }
        } while last != nil && !Task.isCancelled
    }

    /// Makes the days to come, and drops those whose entries are too old, or too many.
    package func trim() async throws(JournalFailure) {
        try await run(Founding.makeDays.once())
        let days = try await run(statements.days(), on: .past)
        let second = options.keptDuration.components.seconds
        let kept = max(1, (second + 86_399) / 86_400)
        var byteCount = days.reduce(days.first?.number(3) ?? 0) { $0 + $1.number(1) }
        defer { appender.inbox.withLock { $0.isFull = byteCount > options.byteCount } }
        for day in days where !Task.isCancelled {
            // A day is over, and its last entry as old as it may become.
            let age = day.number(2) - day.number(0) - 1
            guard age > 0, age >= kept || byteCount > options.byteCount else { continue }
            if try await drop(day.number(0)) { byteCount -= day.number(1) }
        }
    }

    /// Drops a day behind its sessions, few of them at a time.
    ///
    /// - Returns: false for a day that stays: somebody reads it, or a session still needs it that is damaged,
    ///   or has no key here.
    private func drop(_ day: Int64) async throws(JournalFailure) -> Bool {
        var last = Int64.min
        while !Task.isCancelled {
            let rows: [ResultRow]
            do throws(DatabaseFailure) {
                let call = Statements.sessions(of: day)(.integer(last))
                rows = try await threads[Lane.past.rawValue].run([call])[0]
            } catch .refused("42P01", _) {
                // Another server has dropped it.
                return true
            } catch {
                throw JournalFailure(error)
            }
            guard let end = rows.last else {
                do throws(JournalFailure) {
                    _ = try await run(Statements.drop(day).map { $0() })
                    return true
                } catch .busy {
                    // A copy of the database has it in hand: it goes behind that, and nothing waits.
                    return false
                }
            }
            for row in rows where row.number(Statements.wantsState) == 1 {
                do throws(JournalFailure) {
                    try await keep(StoredSession(row), isOpen: false)
                } catch .damaged, .missingKey {
                    return false
                }
            }
            let ends = rows.map { row in
                [Statements.session, Statements.lastVersion].map {
                    Parameter.integer(row.number($0))
                }
            }
            try await run(statements.dropStates(ends.columns))
            last = end.number(Statements.session)
        }
        return false
    }
}

extension ResultRow {
    /// A session, and the version up to which its entries go.
    fileprivate var place: [Parameter] { [.integer(number(0)), .version(version(1))] }
}

extension Statements {
    /// The columns of `sessions(of:)` behind those of a session.
    fileprivate static let (session, lastVersion, wantsState) = (13, 14, 15)

    /// $1 a session's number: of those behind it that have entries of a day some, in their order, each with
    /// its last entry there, and whether the way to its state leads through them.
    fileprivate static func sessions(of day: Int64) -> Statement {
        Statement(
            once: """
                WITH RECURSIVE d(session) AS (
                    (SELECT session FROM entry_\(day) WHERE session > $1::int8 ORDER BY session LIMIT 1)
                    UNION ALL SELECT (SELECT e.session FROM entry_\(day) e
                        WHERE e.session > d.session ORDER BY e.session LIMIT 1)
                    FROM d WHERE session IS NOT NULL),
                l AS (SELECT session, (SELECT max(version) FROM entry_\(day) e
                        WHERE e.session = d.session) AS last
                    FROM d WHERE session IS NOT NULL LIMIT 256)
                SELECT \(columns), l.session, last, x.id IS NOT NULL AND
                    last > (SELECT max(version) FROM snapshot s WHERE s.session = x.id)
                FROM l LEFT JOIN session x ON x.id = l.session AND x.status = 0 ORDER BY l.session
                """)
    }

    /// Whoever appends waits behind one that waits here.
    fileprivate static func drop(_ day: Int64) -> [Statement] {
        [
            Statement(once: "SELECT set_config('lock_timeout', '100ms', true)"),
            Statement(once: "DROP TABLE IF EXISTS entry_\(day)"),
        ]
    }
}
