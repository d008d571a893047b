package import Journaling
import PostgreSQL
import Threads

/// Work that no answer waits for, a piece each second.
final class Housekeeping: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isRunning = false
        var isClosed = false
        var tickCount = 0
    }

    private static let (scrubbing, trimming) = (5, 60)

    private let state = Lock(State())

    /// Begins the next piece where the last one has ended.
    func tick(_ journal: PostgreSQLJournal) {
        state.withLock { state in
            state.tickCount += 1
            guard !state.isRunning, !state.isClosed else { return }
            let (scrubs, trims) = (
                state.tickCount % Self.scrubbing == 0, state.tickCount % Self.trimming == 2
            )
            guard scrubs || trims || journal.appender.hasWanted else { return }
            state.isRunning = true
            state.task = Task { [weak self] in
                await journal.keepWanted()
                // What fails is tried again the next time.
                do throws(JournalFailure) {
                    if scrubs { try await journal.scrub() }
                    if trims { try await journal.trim() }
                } catch {}
                self?.state.withLock { $0.isRunning = false }
            }
        }
    }

    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            return state.task
        }
        task?.cancel()
        await task?.value
    }
}

extension PostgreSQLJournal {
    fileprivate func keepWanted() async {
        for (head, state) in appender.takeWanted() where !Task.isCancelled {
            do throws(JournalFailure) {
                try await keep(head, having: state)
            } catch {
                // It is damaged, or somebody else's, and found so when it is opened.
            }
        }
    }

    /// Deletes the entries of what was forgotten, and the sessions that were erased.
    package func scrub() async throws(JournalFailure) {
        _ = try await run([statements.endNames()], on: .opening)
        for row in try await run([statements.forgotten()], on: .opening)[0] {
            let (id, version) = (
                Parameter.integer(row.number(0)), Parameter.version(row.version(1))
            )
            var isDone = false
            while !isDone, !Task.isCancelled {
                let found = try await run([statements.scrub(id, version)], on: .opening)
                isDone = found[0].first?.number(0) == 0
            }
            guard isDone else { return }
            let end =
                row.number(2) == 2 ? statements.endSession(id) : statements.endScrub(id, version)
            _ = try await run([end], on: .opening)
        }
    }

    /// Makes the days to come, and drops those whose entries are too old, or too many.
    package func trim() async throws(JournalFailure) {
        _ = try await run([Founding.makeDays()], on: .opening)
        let days = try await run([statements.days()], on: .past)[0]
        let second = options.keptDuration.components.seconds
        let kept = max(1, (second + 86_399) / 86_400)
        var byteCount = days.reduce(0) { $0 + $1.number(1) }
        for day in days where !Task.isCancelled {
            // A day is over, and its last entry as old as it may become.
            let age = day.number(2) - day.number(0) - 1
            guard age > 0, age >= kept || byteCount > options.byteCount else { continue }
            if try await drop(day.number(0)) { byteCount -= day.number(1) }
        }
        appender.setFull(byteCount > options.byteCount)
    }

    /// - Returns: false for a day that a session still needs which is damaged, or has no key here.
    private func drop(_ day: Int64) async throws(JournalFailure) -> Bool {
        var former: Set<Int64> = []
        while !Task.isCancelled {
            let rows = try await run([Statements.sessions(through: day)()], on: .past)[0]
            if rows.isEmpty { break }
            // Rows that cannot be read, or come again, keep their day.
            let sessions = rows.compactMap { StoredSession($0) }
            let numbers = Set(sessions.map(\.id))
            guard numbers.count == rows.count, numbers != former else { return false }
            former = numbers
            for session in sessions {
                do throws(JournalFailure) {
                    try await keep(session, lease: nil)
                } catch .damaged, .missingKey {
                    return false
                }
            }
        }
        guard !Task.isCancelled else { return false }
        _ = try await run(Statements.drop(day).map { $0() }, on: .opening)
        return true
    }
}
