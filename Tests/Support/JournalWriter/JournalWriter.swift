import Bytes
import Foundation
import JournalConformance
import JournalSQLite
import Journaling
import Redux

/// `journal-writer DIRECTORY SEED SESSIONS STEPS`: changes sessions of a journal, and prints each outcome
/// as a line once it is known. Another process kills it, or has its system calls fail. With no sessions it
/// waits until the journal has been at something for STEPS milliseconds. Entries older than `JOURNAL_KEPT`
/// seconds go, where that is set.
///
///     opened s1 3             the session's version
///     kept s1 4 10            the entry's version, and the number that it added
///     refused s1 4 11         … and that has to be absent
///     unknown s1 4 12
///     forgotten s1 2
///     erased gone-1-5
@main struct JournalWriter {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seed = UInt64(arguments[2]),
            let sessions = Int(arguments[3]), let steps = Int(arguments[4])
        else { exit(2) }
        do {
            var options = SQLiteJournal.Options()
            if let seconds = ProcessInfo.processInfo.environment["JOURNAL_KEPT"].flatMap(Int.init) {
                options.keptDuration = .seconds(seconds)
            }
            let journal = try SQLiteJournal(directory: arguments[1], options: options)
            print("started")
            if sessions == 0, steps > 0 {
                while journal.status.pendingDuration < .milliseconds(steps) { await Task.yield() }
                print("hangs")
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<sessions {
                    group.addTask {
                        let forgets = number > 0 || sessions == 1
                        var client = Client(number, seed, in: journal, forgets: forgets)
                        await client.run(steps)
                    }
                }
            }
            await journal.close()
            print("closed")
        } catch {
            print("refused-start \(error)")
        }
    }

    /// Writes a line at once: what was written outlives the process.
    static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// Changes one session, and now and then makes another that it ends.
struct Client {
    private let journal: any Journal
    private let number: Int
    private let forgets: Bool
    private let name: SessionName
    private let outcomes = Outcomes()
    private var random: SplitMix
    private var lease: Lease?
    private var version: UInt64 = 0
    private var count = 0

    init(_ number: Int, _ seed: UInt64, in journal: any Journal, forgets: Bool) {
        (self.journal, self.number, self.forgets) = (journal, number, forgets)
        name = SessionName(mount: "/list", id: "s\(number)")
        random = SplitMix(seed: seed &+ UInt64(number) &* 7_919)
    }

    mutating func run(_ steps: Int) async {
        for step in 0..<steps {
            while lease == nil { guard await open() else { return } }
            switch Int.random(in: 0..<40, using: &random) {
            case 0: await sleep()
            // Of the first of several sessions nothing but what is too old goes.
            case 1 where forgets: await forget()
            case 2: await eraseAnother(step)
            default: await append()
            }
        }
    }

    /// - Returns: false where there is no sense in going on.
    private mutating func open() async -> Bool {
        do throws(JournalFailure) {
            guard let opened = try await journal.open(name, making: TestSession.new) else {
                return false
            }
            lease = opened.lease
            version = opened.document?.version ?? 0
            JournalWriter.print("opened \(name.id) \(version)")
            return true
        } catch {
            JournalWriter.print("failed \(name.id) \(error)")
            if case .damaged = error { return false }
            if error == .heldElsewhere { return true }
            try? await Task.sleep(for: .milliseconds(100))
            return true
        }
    }

    /// Hands over up to three batches before it knows of the first.
    private mutating func append() async {
        guard let lease else { return }
        var submitted: [(first: UInt64, numbers: [Int], ticket: UInt64, outcome: AppendOutcome?)] =
            []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let first = version + 1
            let numbers = (0..<Int.random(in: 1...4, using: &random)).map { _ in makeNumber() }
            let ticket = outcomes.makeTicket()
            let batch = AppendBatch(
                lease: lease, expected: version, count: numbers.count, receiver: outcomes,
                ticket: ticket)
            let outcome = journal.append(batch, entries(numbers, from: first))
            submitted.append((first, numbers, ticket, outcome))
            version += UInt64(numbers.count)
        }
        var known = submitted[0].first - 1
        for (first, numbers, ticket, outcome) in submitted {
            let outcome =
                if let outcome { outcome } else { await outcomes.outcome(of: ticket) }
            tell(outcome, first, numbers)
            switch outcome {
            case .kept: known = first + UInt64(numbers.count) - 1
            case .refused: break
            case .stale, .unknown: self.lease = nil
            }
        }
        version = known
    }

    private func tell(_ outcome: AppendOutcome, _ first: UInt64, _ numbers: [Int]) {
        let word =
            switch outcome {
            case .kept: "kept"
            case .refused: "refused"
            case .stale: "refused"
            case .unknown: "unknown"
            }
        for (index, number) in numbers.enumerated() {
            JournalWriter.print("\(word) \(name.id) \(first + UInt64(index)) \(number)")
        }
    }

    private mutating func makeNumber() -> Int { Int.random(in: 1..<1 << 50, using: &random) }

    private func entries(_ numbers: [Int], from first: UInt64) -> [EncodedEntry] {
        let operations = numbers.map { #"{"op":"add","path":"/list/-","value":\#($0)}"# }
        return numbers.indices.map { index in
            let isLast = index == numbers.count - 1
            let patch = "[\(operations.joined(separator: ","))]"
            return EncodedEntry(
                version: first + UInt64(index), at: TestSession.created + .seconds(index),
                head: Array(#"{"origin":"client","action":{"type":"add"}}"#.utf8),
                patch: isLast ? Array(patch.utf8) : nil, isLast: isLast)
        }
    }

    private mutating func sleep() async {
        guard let lease else { return }
        try? await journal.keep(
            KeptWork(version: version, bytes: [1, 2, 3]), of: lease, isAsleep: true)
        self.lease = nil
    }

    private func forget() async {
        guard let lease, version > 4 else { return }
        do throws(JournalFailure) {
            try await journal.forget(lease, through: version - 3)
            JournalWriter.print("forgotten \(name.id) \(version - 3)")
        } catch {
            JournalWriter.print("failed \(name.id) \(error)")
        }
    }

    /// A session with a text that nobody may find again.
    private mutating func eraseAnother(_ step: Int) async {
        let id = "gone-\(number)-\(makeNumber())"
        let gone = SessionName(mount: "/list", id: id)
        do throws(JournalFailure) {
            let new = NewSession(epoch: "k3f9x2ab", created: TestSession.created, schema: 1) {
                Array(#"{"list":["planted-\#(id)"]}"#.utf8)
            }
            guard let opened = try await journal.open(gone, making: new) else { return }
            for version in UInt64(0)..<10 {
                let entry = EncodedEntry(
                    version: version + 1, at: TestSession.created,
                    head: Array(#"{"origin":"planted-\#(id)"}"#.utf8),
                    patch: Array(
                        #"[{"op":"add","path":"/list/-","value":"planted-\#(id)"}]"#.utf8))
                let ticket = outcomes.makeTicket()
                let batch = AppendBatch(
                    lease: opened.lease, expected: version, count: 1, receiver: outcomes,
                    ticket: ticket)
                if journal.append(batch, [entry]) == nil {
                    guard await outcomes.outcome(of: ticket) == .kept else { return }
                }
            }
            try await journal.erase(gone)
            JournalWriter.print("erased \(id)")
        } catch {
            JournalWriter.print("failed \(id) \(error)")
        }
    }
}
