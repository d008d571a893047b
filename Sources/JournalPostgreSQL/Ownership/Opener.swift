import Journaling
import PostgreSQL
import Threads

/// The openings on their way: one transaction takes all that have come since the last, so that what a dead
/// server had is opened by few commits.
final class Opener: Sendable {
    /// The row of a session that is opened; nil where there is none.
    private typealias Finding = Result<ResultRow?, JournalFailure>

    private struct Opening: Sendable {
        let name: String
        let nameHash: [UInt8]
        let told: CheckedContinuation<Finding, Never>
        /// Those were ended who had died.
        var isSecond = false
    }

    private struct Inbox {
        var waiting: [Opening] = []
        var isRunning = false

        /// Each name once: who opens a session again takes it from who has opened it before.
        mutating func take() -> [Opening] {
            var names: Set<String> = []
            let isTaken = waiting.map {
                names.count < Opener.count && names.insert($0.name).inserted
            }
            defer { waiting = zip(waiting, isTaken).filter { !$1 }.map(\.0) }
            return zip(waiting, isTaken).filter(\.1).map(\.0)
        }
    }

    private static let count = 512

    private let inbox = Lock(Inbox())
    private let thread: DatabaseThread
    private let look: Statement
    private let life: Life

    init(_ thread: DatabaseThread, _ look: Statement, _ life: Life) {
        (self.thread, self.look, self.life) = (thread, look, life)
    }

    /// Takes a session over that nobody has, or this process, or one that has ended. Throws also where
    /// another server only has its row in hand.
    func open(_ name: String, _ nameHash: [UInt8]) async throws(JournalFailure) -> ResultRow? {
        try await withCheckedContinuation { told in
            add([Opening(name: name, nameHash: nameHash, told: told)])
        }.get()
    }

    private func add(_ openings: [Opening]) {
        let begins = inbox.withLock { inbox in
            inbox.waiting += openings
            defer { inbox.isRunning = true }
            return !inbox.isRunning
        }
        if begins { submit() }
    }

    // MARK: On the threads

    private func submit() {
        thread.submit { [self] in
            let openings = inbox.withLock { $0.take() }
            return (
                calls(openings),
                { [self] reply in
                    end(openings, reply)
                    let goesOn = inbox.withLock { inbox in
                        inbox.isRunning = !inbox.waiting.isEmpty
                        return inbox.isRunning
                    }
                    if goesOn { submit() }
                }
            )
        }
    }

    private func calls(_ openings: [Opening]) -> [Call] {
        guard let me = try? life.id() else { return [] }
        let columns = openings.map { [Parameter.text($0.name), .bytes($0.nameHash)] }.columns
        return [
            Statements.openAll(columns[0], .integer(me)), look(columns),
        ]
    }

    private func end(_ openings: [Opening], _ reply: Reply) {
        guard case .success(let found) = reply, found.count == 2,
            found[1].count == openings.count
        else {
            // Without a row of its own a server opens none.
            let failure = reply.mapError { JournalFailure($0) }
                .flatMap { _ in Finding.failure(.unavailable) }
            for opening in openings { opening.told.resume(returning: failure) }
            return
        }
        var rows: [String: ResultRow] = [:]
        for row in found[0] { rows[row.text(1)] = row }
        var held: [Opening] = []
        for (opening, look) in zip(openings, found[1]) {
            let row = rows[opening.name]
            if row == nil, look.number(0) == 1, !opening.isSecond {
                held.append(opening)
                held[held.count - 1].isSecond = true
            } else {
                opening.told.resume(returning: row.map { .success($0) } ?? Self.finding(look))
            }
        }
        guard !held.isEmpty else { return }
        // Who has these may have died just now.
        Task { [held] in
            await life.endDead()
            add(held)
        }
    }

    private static func finding(_ look: ResultRow) -> Finding {
        look.number(0) == 1
            ? .failure(.heldElsewhere) : look.number(1) == 1 ? .failure(.ended) : .success(nil)
    }
}
