package import Journaling
package import Redux
import Threads

/// A law that a journal has broken, with what was found.
package struct BrokenLaw: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Takes outcomes, and hands them to the one who waits for their tickets.
package final class Outcomes: AppendReceiver {
    private struct Table {
        var outcomes: [UInt64: AppendOutcome] = [:]
        var waiting: [UInt64: CheckedContinuation<AppendOutcome, Never>] = [:]
        var ticket: UInt64 = 0
    }

    private let table = Lock(Table())

    package init() {}

    package func makeTicket() -> UInt64 {
        table.withLock { table in
            table.ticket += 1
            return table.ticket
        }
    }

    package func appended(_ outcomes: [TicketOutcome]) {
        for (ticket, outcome) in outcomes {
            table.withLock { table in
                let waiting = table.waiting.removeValue(forKey: ticket)
                if waiting == nil { table.outcomes[ticket] = outcome }
                return waiting
            }?.resume(returning: outcome)
        }
    }

    package func outcome(of ticket: UInt64) async -> AppendOutcome {
        await withCheckedContinuation { continuation in
            table.withLock { table -> AppendOutcome? in
                if let outcome = table.outcomes.removeValue(forKey: ticket) { return outcome }
                table.waiting[ticket] = continuation
                return nil
            }.map { continuation.resume(returning: $0) }
        }
    }
}

/// One session of a journal, with what it has to hold: a list of numbers, to which entries add.
package struct TestSession: Sendable {
    package let journal: any Journal
    package let name: SessionName
    package private(set) var lease: Lease
    /// The states that were visible, by their versions.
    package private(set) var states: [UInt64: [UInt8]] = [0: Array(#"{"list":[]}"#.utf8)]
    package private(set) var entries: [EncodedEntry] = []
    package private(set) var numbers: [UInt64] = []
    /// The state says what made it.
    package private(set) var schema = 1
    private let outcomes = Outcomes()

    package static let epoch = "k3f9x2ab"
    package static let created = Timestamp(milliseconds: 1_795_302_855_000)

    package var version: UInt64 { UInt64(entries.count) }
    package var state: [UInt8] { states[lastVisible] ?? [] }
    private var lastVisible: UInt64 { entries.last?.version ?? 0 }

    /// Makes a session.
    package init(_ id: String, in journal: any Journal, mount: String = "/list") async throws {
        self.journal = journal
        name = SessionName(mount: mount, id: id)
        let opened = try await journal.open(name, making: Self.new)
        guard let opened, opened.document == nil else {
            throw BrokenLaw("A session that is not there was not made.")
        }
        lease = opened.lease
    }

    package static var new: NewSession {
        NewSession(epoch: epoch, created: created, schema: 1) { Array(#"{"list":[]}"#.utf8) }
    }

    /// The print of the body that has led to a version: its halves differ.
    static func print(of version: UInt64) -> UInt128 { UInt128(version) << 64 | UInt128(~version) }

    /// The entries of a batch behind a version: the last has the patch.
    package func batch(
        of count: Int, behind version: UInt64, key: String? = nil
    ) -> [EncodedEntry] {
        (1...UInt64(count)).map { step in
            let number = version + step
            let isLast = step == UInt64(count)
            let added = (version + 1...number).map {
                #"{"op":"add","path":"/list/-","value":\#($0)}"#
            }
            let name = isLast ? key.map { #","by":{"id":"ada"},"key":"\#($0)""# } : nil
            return EncodedEntry(
                version: number, at: Self.created + .seconds(Int(number)),
                head: Array(#"{"origin":"client"\#(name ?? ""),"action":{"type":"add"}}"#.utf8),
                print: name == nil ? nil : Self.print(of: number),
                patch: isLast ? Array("[\(added.joined(separator: ","))]".utf8) : nil,
                isLast: isLast)
        }
    }

    /// Hands a batch over, without waiting; `note` follows where it is kept.
    package func submit(
        _ entries: [EncodedEntry], schema: Int? = nil, alarm: AlarmChange = .unchanged,
        expecting expected: UInt64? = nil, by lease: Lease? = nil, state: [UInt8]? = nil
    ) -> (ticket: UInt64, outcome: AppendOutcome?) {
        let ticket = outcomes.makeTicket()
        let batch = AppendBatch(
            lease: lease ?? self.lease,
            expected: expected ?? (entries.first?.version ?? 1) - 1, count: entries.count,
            schema: schema, alarm: alarm, state: state, receiver: outcomes, ticket: ticket)
        return (ticket, journal.append(batch, entries))
    }

    package func outcome(
        _ submitted: (ticket: UInt64, outcome: AppendOutcome?)
    ) async -> AppendOutcome {
        if let outcome = submitted.outcome { return outcome }
        return await outcomes.outcome(of: submitted.ticket)
    }

    /// Entries were kept.
    package mutating func note(_ batch: [EncodedEntry]) {
        entries += batch
        numbers += batch.map(\.version)
        let list = numbers.map { "\($0)" }.joined(separator: ",")
        states[version] = Array(#"{"list":[\#(list)]}"#.utf8)
    }

    /// Appends a batch, and waits until it is kept.
    package mutating func append(
        _ count: Int = 1, key: String? = nil, schema: Int? = nil,
        alarm: AlarmChange = .unchanged
    ) async throws {
        let entries = batch(of: count, behind: version, key: key)
        let outcome = await outcome(submit(entries, schema: schema, alarm: alarm))
        guard outcome == .kept else { throw BrokenLaw("A batch in its place is \(outcome).") }
        self.schema = schema ?? self.schema
        note(entries)
    }

    /// Opens it again, and looks whether it is what it was.
    package mutating func reopen(in other: (any Journal)? = nil) async throws {
        if let other { self = TestSession(self, in: other) }
        guard let opened = try await journal.open(name, making: nil) else {
            throw BrokenLaw("A session is gone.")
        }
        try check(opened)
        lease = opened.lease
    }

    private init(_ session: TestSession, in other: any Journal) {
        (journal, name, lease) = (other, session.name, session.lease)
        (states, entries, numbers) = (session.states, session.entries, session.numbers)
        schema = session.schema
    }

    private func check(_ opened: OpenedSession) throws {
        try expect(opened.epoch == Self.epoch, "The epoch is \(opened.epoch).")
        try expect(opened.created == Self.created, "It was made at \(opened.created).")
        guard let document = opened.document else {
            throw BrokenLaw("A session that is there has no state.")
        }
        try check(document, at: version)
        try expect(document.lastTime == entries.last?.at, "The last time is wrong.")
        try expect(document.schema == schema, "The schema is \(document.schema).")
    }

    package func check(_ document: StoredDocument, at version: UInt64) throws {
        let visible = states.keys.filter { $0 <= version }.max() ?? 0
        try expect(
            document.version == visible,
            "The state at \(version) is of \(document.version), not of \(visible).")
        try expect(document.lastChange == visible, "The last change is \(document.lastChange).")
        try expect(
            document.json == states[visible],
            "At \(visible) the state is \(String(decoding: document.json, as: UTF8.self)).")
    }
}

package func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw BrokenLaw(description()) }
}

/// Looks whether a call fails as it should.
package func expect<Value>(
    _ failure: JournalFailure, of body: () async throws(JournalFailure) -> Value
) async throws {
    do throws(JournalFailure) {
        _ = try await body()
    } catch {
        return try expect(error == failure, "It fails with \(error), not with \(failure).")
    }
    throw BrokenLaw("It does not fail with \(failure).")
}
