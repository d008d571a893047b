import Threads

/// Connections that only read, on threads of their own: no task keeps one of Swift's few threads while it waits
/// for the disk.
package final class DatabaseReaders: Sendable {
    /// Is given nil where it is asked for behind the end.
    private typealias Job = @Sendable (Database?) -> Void

    private struct Inbox {
        /// Those that wait for a thread, the oldest first.
        var jobs: [Job] = []
        var threadCount = 0
        var isClosed = false
    }

    private let inbox = Monitor(Inbox())

    package init(_ path: String, count: Int) throws {
        do {
            for _ in 0..<count {
                let database = try Database(path, isReadOnly: true)
                try NamedThread.start(name: "journal reader") { self.run(database) }
                inbox.withLock { $0.threadCount += 1 }
            }
        } catch {
            close()
            throw error
        }
    }

    /// Reads what is committed at one moment.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { waiting in
            let job: Job = { database in
                waiting.resume(
                    with: Result {
                        guard let database else { throw DatabaseError.closed }
                        return try database.read(body)
                    })
            }
            let isClosed = inbox.withLock { inbox in
                if !inbox.isClosed { inbox.jobs.append(job) }
                return inbox.isClosed
            }
            if isClosed { job(nil) } else { inbox.wakeOne() }
        }
    }

    private func run(_ database: Database) {
        // None behind the end.
        let next: (inout Inbox) -> [Job]? = { inbox in
            if !inbox.jobs.isEmpty { return [inbox.jobs.removeFirst()] }
            return inbox.isClosed ? [] : nil
        }
        while let job = inbox.wait(for: next).first { job(database) }
        database.close()
        inbox.withLock { $0.threadCount -= 1 }
        inbox.wakeAll()
    }

    /// Reads nothing more, and waits for what was asked for before.
    package func close() {
        inbox.withLock { $0.isClosed = true }
        inbox.wakeAll()
        inbox.wait { $0.threadCount == 0 ? () : nil }
    }
}
