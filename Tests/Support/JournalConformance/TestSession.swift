import Glibc
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

/// One session of a journal, with what it has to hold: a list of numbers, to which entries add, and a
/// secret once one is set.
package struct TestSession: Sendable {
    package let journal: any Journal
    package let name: SessionName
    package private(set) var lease: Lease
    /// The states that were visible, by their versions, without their secrets.
    package private(set) var states: [UInt64: [UInt8]] = [0: Content().json()]
    package private(set) var entries: [EncodedEntry] = []
    private var contents: [UInt64: Content] = [0: Content()]
    private var epoch = Self.epoch
    private var keys: [KeptKey] = []
    private var work: KeptWork?
    private let start: Timestamp
    private let outcomes = Outcomes()

    /// What a state is made of, and its schema.
    private struct Content {
        var numbers: [UInt64] = []
        var secret: UInt64?
        var schema = 1

        func json(withSecrets: Bool = false) -> [UInt8] {
            let list = numbers.map { "\($0)" }.joined(separator: ",")
            let hidden = secret.map { withSecrets ? "\($0)" : Secret<Int>.redacted }
            let member = hidden.map { #","secret":"\#($0)""# } ?? ""
            return Array(#"{"list":[\#(list)]\#(member)}"#.utf8)
        }
    }

    package static let epoch = "k3f9x2ab"
    package static let created = Timestamp(milliseconds: 1_795_302_855_000)
    /// Of the wall clock: keys are kept by that.
    package static var now: Timestamp { Timestamp(milliseconds: Int64(time(nil)) * 1_000) }

    package var version: UInt64 { UInt64(entries.count) }
    package var state: [UInt8] { states[version] ?? [] }
    /// Its states have a secret from here on.
    package var hasSecret: Bool { contents[version]?.secret != nil }

    /// Makes a session.
    ///
    /// - Parameter start: the entries come in the seconds behind it.
    package init(
        _ id: String, in journal: any Journal, mount: String = "/list",
        since start: Timestamp = created
    ) async throws {
        (self.journal, self.start) = (journal, start)
        name = SessionName(mount: mount, id: id)
        let opened = try await journal.open(name, making: Self.new)
        guard let opened, opened.document == nil else {
            throw BrokenLaw("A session that is not there was not made.")
        }
        lease = opened.lease
    }

    package static var new: NewSession {
        NewSession(epoch: epoch, created: created, schema: 1) { Content().json() }
    }

    /// The print of the body that has led to a version: its halves differ.
    static func print(of version: UInt64) -> UInt128 { UInt128(version) << 64 | UInt128(~version) }

    /// The entries of a batch behind a version: the last has the patch.
    ///
    /// - Parameter isSecret: the last sets a secret, too.
    package func batch(
        of count: Int, behind version: UInt64, key: String? = nil, isSecret: Bool = false
    ) -> [EncodedEntry] {
        (1...UInt64(count)).map { step in
            let number = version + step
            let isLast = step == UInt64(count)
            var added = (version + 1...number).map {
                #"{"op":"add","path":"/list/-","value":\#($0)}"#
            }
            if isSecret, !hasSecret {
                added.append(#"{"op":"add","path":"/secret","value":"<redacted>"}"#)
            }
            let name = isLast ? key.map { #","by":{"id":"ada"},"key":"\#($0)""# } : nil
            let hidden = #"[{"op":"replace","path":"/secret","value":"\#(number)"}]"#
            return EncodedEntry(
                version: number, at: start + .seconds(Int(number)),
                head: Array(#"{"origin":"client"\#(name ?? ""),"action":{"type":"add"}}"#.utf8),
                print: name == nil ? nil : Self.print(of: number),
                patch: isLast ? Array("[\(added.joined(separator: ","))]".utf8) : nil,
                secrets: isLast && isSecret ? Secret(Array(hidden.utf8)) : nil, isLast: isLast)
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
    package mutating func note(_ batch: [EncodedEntry], schema: Int? = nil) {
        var content = contents[version] ?? Content()
        let (first, last) = (version + 1, batch.last)
        content.numbers += batch.map(\.version)
        content.schema = schema ?? content.schema
        if last?.secrets != nil { content.secret = last?.version }
        if let last, let key = try? KeptKey(in: last, first: first, by: journal.hash) {
            keys.append(key)
        }
        note(batch, content)
        work = (try? KeptWork.after(batch, work, epoch: epoch)) ?? work
    }

    private mutating func note(_ batch: [EncodedEntry], _ content: Content) {
        entries += batch
        (contents[version], states[version]) = (content, content.json())
    }

    /// Appends a batch, and waits until it is kept.
    ///
    /// - Parameter isStated: the journal gets the state, too, where that has no secrets.
    package mutating func append(
        _ count: Int = 1, key: String? = nil, schema: Int? = nil,
        alarm: AlarmChange = .unchanged, isSecret: Bool = false, isStated: Bool = false
    ) async throws {
        let entries = batch(of: count, behind: version, key: key, isSecret: isSecret)
        var next = self
        next.note(entries, schema: schema)
        let state = isStated && !next.hasSecret ? next.state : nil
        let outcome = await outcome(submit(entries, schema: schema, alarm: alarm, state: state))
        // A journal that cannot hide a secret refuses it.
        if isSecret, outcome == .refused(.missingKey) { return }
        guard outcome == .kept else { throw BrokenLaw("A batch in its place is \(outcome).") }
        self = next
    }

    /// Appends an entry with a key, and with `meta` of its action as it is.
    package mutating func append(meta: String, starting work: String = "") async throws {
        let key = "meta-\(version)"
        var entries = batch(of: 1, behind: version, key: key)
        let news = work.isEmpty ? "" : #""starts":["\#(work)"],"#
        let members = #"\#(news)"origin":"client","by":{"id":"ada"},"key":"\#(key)""#
        let action = #"{"type":"add","meta":\#(meta)}"#
        entries[0].head = Array(#"{\#(members),"action":\#(action)}"#.utf8)
        let outcome = await outcome(submit(entries))
        guard outcome == .kept else { throw BrokenLaw("An action with meta is \(outcome).") }
        note(entries)
    }

    /// JSON that nests so many levels.
    package static func nest(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    /// Has it go on from a former state, in another epoch.
    ///
    /// - Returns: false where its journal cannot.
    package mutating func revert(to version: UInt64, _ epoch: String) async throws -> Bool {
        guard let content = contents[visible(at: version)] else { return false }
        let head = #"{"epoch":"\#(epoch)","origin":"inspector","kind":"reverted"}"#
        var entry = EncodedEntry(version: 0, at: start, head: Array(head.utf8), patch: nil)
        do throws(JournalFailure) {
            try await journal.revert(name, to: version, by: entry, epoch: epoch)
        } catch {
            try expect(error == .compacted(oldest: nil), "It fails with \(error).")
            return false
        }
        entry.version = self.version + 1
        entry.at = entries.last?.at ?? entry.at
        entry.patch = EncodedEntry.replacement(by: content.json())
        note([entry], content)
        self.epoch = epoch
        work = KeptWork(
            [
                WorkRecord(
                    name: WorkRecord.ofOthers, version: entry.version,
                    token: "\(epoch)-\(entry.version)")
            ],
            at: entry.version)
        try await reopen()
        return true
    }

    /// Keeps words about its work.
    package mutating func keep(_ word: UInt8, isAsleep: Bool) async throws {
        work = KeptWork(version: version, bytes: [word])
        try await journal.keep(work, of: lease, isAsleep: isAsleep)
    }

    /// Opens it again, and looks whether it is what it was.
    package mutating func reopen(in other: (any Journal)? = nil) async throws {
        if let other { self = TestSession(self, in: other) }
        guard let opened = try await journal.open(name, making: nil) else {
            throw BrokenLaw("A session is gone.")
        }
        lease = opened.lease
        try check(opened)
        var found = opened.keys
        if opened.keysBegin > 0 {
            found += try await journal.keys(of: lease, since: Self.created)
        }
        try expect(
            Set(keys) == Set(found), "Of \(keys.count) keys there are \(found.count).")
    }

    private init(_ session: TestSession, in other: any Journal) {
        (journal, name, lease, start) = (other, session.name, session.lease, session.start)
        (states, entries, contents) = (session.states, session.entries, session.contents)
        (epoch, keys, work) = (session.epoch, session.keys, session.work)
    }

    private func check(_ opened: OpenedSession) throws {
        try expect(opened.epoch == epoch, "The epoch is \(opened.epoch).")
        try expect(opened.created == Self.created, "It was made at \(opened.created).")
        try expect(opened.work == work, "Of its work it says \(String(describing: opened.work)).")
        guard let document = opened.document else {
            throw BrokenLaw("A session that is there has no state.")
        }
        try check(document, at: version, withSecrets: true)
    }

    private func visible(at version: UInt64) -> UInt64 {
        states.keys.filter { $0 <= version }.max() ?? 0
    }

    package func check(
        _ document: StoredDocument, at version: UInt64, withSecrets: Bool = false
    ) throws {
        let visible = visible(at: version)
        let content = contents[visible]
        try expect(
            document.version == visible,
            "The state at \(version) is of \(document.version), not of \(visible).")
        try expect(document.lastChange == visible, "The last change is \(document.lastChange).")
        try expect(
            document.json == content?.json(withSecrets: withSecrets),
            "At \(visible) the state is \(String(decoding: document.json, as: UTF8.self)).")
        try expect(document.schema == content?.schema, "The schema is \(document.schema).")
        let time = visible == 0 ? nil : entries[Int(visible) - 1].at
        try expect(document.lastTime == time, "The last time is wrong.")
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
