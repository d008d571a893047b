import Foundation
import JournalSQLite
import Journaling
import Redux
import Threads

/// `journal-benchmark fill DIRECTORY SESSIONS ENTRIES`, then `journal-benchmark restart DIRECTORY`: sessions
/// of 1 KB with three entries each, and one with many that have keys, left as a crash leaves them; and how
/// long it takes to have them again.
enum Restart {
    private static let big = SessionName(mount: "/list", id: "big")

    static func fill(_ directory: String, sessions: Int, entries: Int) async throws {
        let journal = try SQLiteJournal(directory: directory)
        let names = (0..<sessions).map { SessionName(mount: "/list", id: "s\($0)") }
        var leases: [Lease] = []
        for start in stride(from: 0, to: sessions, by: 1_000) {
            leases += try await withThrowingTaskGroup(of: Lease?.self) { group in
                for name in names[start..<min(start + 1_000, sessions)] {
                    group.addTask { try await journal.open(name, making: new)?.lease }
                }
                return try await group.reduce(into: []) { all, lease in
                    if let lease { all.append(lease) }
                }
            }
        }
        let filler = Filler(journal)
        for version in UInt64(0)..<3 {
            for lease in leases { filler.append(to: lease, behind: version, key: nil) }
        }
        if let lease = try await journal.open(big, making: new)?.lease {
            for version in 0..<UInt64(entries) {
                filler.append(to: lease, behind: version, key: "key-\(version)")
            }
        }
        filler.wait()
        // No close: what a crash leaves.
        exit(0)
    }

    private static var new: NewSession {
        NewSession(epoch: "k3f9x2ab", created: now, schema: 1) { Sample.state }
    }

    static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    static func measure(_ directory: String) async throws {
        var begun = Stopwatch.now
        func lap(_ what: String, _ count: Int = 1) {
            let time = Double(Stopwatch.now - begun) / 1e6 / Double(count)
            print(
                what.padding(toLength: 36, withPad: " ", startingAt: 0),
                String(format: "%.3f ms", time))
            begun = Stopwatch.now
        }
        let journal = try SQLiteJournal(directory: directory)
        lap("start after a crash")
        print("resident memory", residentByteCount >> 20, "MiB")
        let count = 1_000
        begun = Stopwatch.now
        for _ in 0..<count {
            let name = SessionName(mount: "/list", id: "s\(Int.random(in: 0..<count))")
            _ = try await journal.open(name, making: nil)
        }
        lap("a session opened, the mean", count)
        guard let opened = try await journal.open(big, making: nil) else { return }
        lap("the one with \(opened.document?.version ?? 0) entries")
        let keys = try await journal.keys(of: opened.lease, since: now + .seconds(-24 * 3_600))
        lap("its \(keys.count) keys")
        await journal.close()
        lap("close")
        _ = try SQLiteJournal(directory: directory)
        lap("start after a stop")
    }

    private static var residentByteCount: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }
}

/// Appends without waiting, with so many under way at most.
private final class Filler: AppendReceiver {
    private let journal: SQLiteJournal
    private let underWay = Monitor(0)

    init(_ journal: SQLiteJournal) { self.journal = journal }

    func append(to lease: Lease, behind version: UInt64, key: String?) {
        underWay.wait { underWay -> Void? in
            guard underWay < 10_000 else { return nil }
            underWay += 1
        }
        let head = key.map {
            #"{"origin":"client","by":{"id":"ada"},"key":"\#($0)","action":{"type":"a"}}"#
        }
        let entry = EncodedEntry(
            version: version + 1, at: Restart.now, head: head.map { Array($0.utf8) } ?? Sample.head,
            print: key == nil ? nil : version, patch: Sample.patch)
        let batch = AppendBatch(
            lease: lease, expected: version, count: 1, receiver: self, ticket: version)
        let outcome = journal.append(batch, [entry])
        precondition(outcome == nil, "The journal says \(outcome.map { "\($0)" } ?? "").")
    }

    func appended(_ outcomes: [TicketOutcome]) {
        for (ticket, outcome) in outcomes {
            precondition(outcome == .kept, "The journal says \(outcome) of \(ticket).")
        }
        underWay.withLock { $0 -= outcomes.count }
        underWay.wakeAll()
    }

    func wait() { underWay.wait { $0 == 0 ? () : nil } }
}
