public import Journaling
import Redux

/// What every journal has to hold: run each law against one's own.
///
///     @Test(arguments: JournalConformance.Law.allCases)
///     func `keeps the laws`(law: JournalConformance.Law) async throws {
///         try await JournalConformance { try MyJournal(at: place) }.hold(law)
///     }
///
/// Each law wants an empty place. A journal without history, sleep or erasure leaves out the laws about
/// them.
public struct JournalConformance: Sendable {
    /// A sentence about a journal.
    public enum Law: String, CaseIterable, Sendable {
        case aSessionIsMadeOnce
        case aSessionIsOpenedAsItWas
        case batchesAreJudgedInTheirOrder
        case whatExpectsAnotherVersionIsRefused
        case whoHasLostASessionIsStale
        case historyIsPaged
        case formerStatesAreThereByteForByte
        case keysComeBack
        case keysOfOlderEntriesAreFound
        case alarmsAreDueInTheirOrder
        case whoSleepsHasNoLease
        case wordsAboutWorkComeBack
        case deepActionsComeBack
        case schemasGoWithTheState
        case whatIsForgottenIsGone
        case whatIsRevertedGoesOn
        case whatIsErasedIsGone
        case sessionsAreListedInPages
        case sessionsAreBounded
        case secretsAreNeverShown
        case aClosedJournalTakesNothing
        case whatIsKeptOutlivesARestart
        case anythingInAnyOrder
    }

    let open: @Sendable () async throws -> any Journal

    /// - Parameter open: opens the journal at one place, which is empty at first. After `close` it is
    ///   called again: a restart, which a journal of the mode `memory` does not see.
    public init(open: @escaping @Sendable () async throws -> any Journal) { self.open = open }

    /// Opens the journal, looks whether it keeps a law, and closes it.
    ///
    /// Throws what is wrong, as a sentence, or the journal's own failure where it has none to have.
    public func hold(_ law: Law) async throws {
        let journal = try await open()
        switch law {
        case .aSessionIsMadeOnce: try await makeOnce(journal)
        case .aSessionIsOpenedAsItWas: try await openAgain(journal)
        case .batchesAreJudgedInTheirOrder: try await judgeInOrder(journal)
        case .whatExpectsAnotherVersionIsRefused: try await refuse(journal)
        case .whoHasLostASessionIsStale: try await loseLease(journal)
        case .historyIsPaged: try await page(journal)
        case .formerStatesAreThereByteForByte: try await readFormerStates(journal)
        case .keysComeBack: try await readKeys(journal)
        case .keysOfOlderEntriesAreFound: try await readOlderKeys(journal)
        case .alarmsAreDueInTheirOrder: try await readAlarms(journal)
        case .whoSleepsHasNoLease: try await sleep(journal)
        case .wordsAboutWorkComeBack: try await readWork(journal)
        case .deepActionsComeBack: try await readDeepActions(journal)
        case .schemasGoWithTheState: try await changeSchema(journal)
        case .whatIsForgottenIsGone: try await forget(journal)
        case .whatIsRevertedGoesOn: try await revert(journal)
        case .whatIsErasedIsGone: try await erase(journal)
        case .sessionsAreListedInPages: try await list(journal)
        case .sessionsAreBounded: try await bound(journal)
        case .secretsAreNeverShown: try await hideSecrets(journal)
        case .aClosedJournalTakesNothing: try await refuseClosed(journal)
        case .whatIsKeptOutlivesARestart: return try await restart(journal)
        case .anythingInAnyOrder: return try await doAnything(journal)
        }
        await journal.close()
    }

    // MARK: Openings and batches

    private func makeOnce(_ journal: any Journal) async throws {
        let name = SessionName(mount: "/list", id: "a")
        try expect(try await journal.open(name, making: nil) == nil, "What is not there is opened.")
        let made = try await TestSession("a", in: journal)
        guard let again = try await journal.open(name, making: TestSession.new) else {
            throw BrokenLaw("What was made is not there.")
        }
        try expect(again.document?.json == made.state, "A session is made over another.")
        try expect(again.lease != made.lease, "Two openings have one lease.")
    }

    private func openAgain(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for count in [1, 3, 1] + Array(repeating: 1, count: 100) {
            try await session.append(count)
            if session.version % 40 == 0 { try await session.reopen() }
        }
        try await session.reopen()
        try await session.reopen()
    }

    private func judgeInOrder(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        let batches = (0..<200).map { session.batch(of: 1, behind: $0) }
        let submitted = batches.map { session.submit($0) }
        for (batch, ticket) in zip(batches, submitted) {
            let outcome = await session.outcome(ticket)
            try expect(outcome == .kept, "A batch behind another is \(outcome).")
            session.note(batch)
        }
        try await session.reopen()
    }

    private func refuse(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        try await session.append()
        let wrong = [
            session.submit(session.batch(of: 1, behind: 2)),
            session.submit(session.batch(of: 2, behind: 3)),
            session.submit(session.batch(of: 1, behind: 0)),
        ]
        for ticket in wrong {
            guard case .refused = await session.outcome(ticket) else {
                throw BrokenLaw("A batch that expects what is not there is not refused.")
            }
        }
        try await session.append()
        try await session.reopen()
    }

    private func loseLease(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        let old = session.lease
        try await session.append()
        try await session.reopen()
        let late = session.submit(session.batch(of: 1, behind: 1), by: old)
        try expect(await session.outcome(late) == .stale, "An older lease appends.")
        try await expect(.heldElsewhere) { () throws(JournalFailure) in
            try await journal.keep(nil, of: old, isAsleep: true)
        }
        try await session.append()
    }

    // MARK: History

    private func page(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for count in 1...45 { try await session.append(count % 3 + 1) }
        for size in [1, 7, 1_000] {
            var found: [EncodedEntry] = []
            while true {
                let page = try await journal.entries(
                    of: session.name, after: UInt64(found.count),
                    limit: ReadLimit(entryCount: size))
                try expect(page.count <= size, "A page has more entries than asked for.")
                guard !page.isEmpty else { break }
                found += page
            }
            try expect(
                found == session.entries.map(\.withoutSecrets), "The pages are not the entries.")
        }
        let small = try await journal.entries(
            of: session.name, after: 3, limit: ReadLimit(entryCount: 100, byteCount: 1))
        try expect(small.map(\.version) == [4], "A page has not one entry at least.")
    }

    private func readFormerStates(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for count in 1...30 { try await session.append(count % 4 + 1) }
        for version in 0...session.version {
            let document = try await journal.document(of: session.name, at: version)
            try session.check(document, at: version)
        }
    }

    private func readKeys(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        try await session.append(key: "one")
        try await session.append(3, key: "two")
        try await session.append()
        let opened = try await journal.open(session.name, making: nil)
        let keys = opened?.keys ?? []
        try expect(
            keys.map(\.key) == ["one", "two"].map { journal.hash.hash(ofKey: $0, of: "ada") },
            "The keys are \(keys.map(\.key)).")
        try expect(
            keys.last.map { [$0.first, $0.last] } == [2, 4] && keys.last?.changed == true
                && keys.last?.print == TestSession.print(of: 4),
            "The last key is \(keys.last.map { "\($0)" } ?? "none").")
        var hidden = session.batch(of: 1, behind: session.version, key: "three")
        (hidden[0].patch, hidden[0].secrets) = (nil, hidden[0].patch.map { Secret($0) })
        let outcome = await session.outcome(session.submit(hidden, by: opened?.lease))
        // A journal that cannot hide a secret refuses it.
        if outcome == .refused(.missingKey) { return }
        try expect(outcome == .kept, "A secret is not kept.")
        let changed = try await journal.open(session.name, making: nil)?.keys.last?.changed
        try expect(changed == true, "An entry that sets a secret changes nothing.")
    }

    private func readOlderKeys(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        let names = (1...150).map { "key-\($0)" }
        for name in names { try await session.append(key: name) }
        guard let opened = try await journal.open(session.name, making: nil) else { return }
        let older = try await journal.keys(of: opened.lease, since: TestSession.created)
        let known = opened.keys.filter { $0.last > opened.keysBegin }
        let all = older.filter { $0.last <= opened.keysBegin } + known
        try expect(
            all.map(\.key) == names.map { journal.hash.hash(ofKey: $0, of: "ada") }
                && all.allSatisfy { $0.print == TestSession.print(of: $0.last) },
            "Of \(names.count) keys \(older.count) and \(known.count) are there.")
    }

    private func changeSchema(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        try await session.append()
        try await session.append(schema: 2)
        try await session.append()
        try await session.reopen()
        for _ in 0..<100 { try await session.append() }
        try await session.reopen()
        let old = try await journal.document(of: session.name, at: 1)
        try session.check(old, at: 1)
    }

    // MARK: Sleep

    private func bound(_ journal: any Journal) async throws {
        for (number, isMade) in [(1, true), (2, true), (3, false)] {
            let new = NewSession(
                epoch: TestSession.epoch, created: TestSession.created, schema: 1, sessionCount: 2
            ) { Array("{}".utf8) }
            let name = SessionName(mount: "/list", id: "s\(number)")
            let made: Bool
            do throws(JournalFailure) {
                made = try await journal.open(name, making: new) != nil
            } catch { made = error != .tooManySessions }
            try expect(made == isMade, "Of 2 sessions number \(number) is made: \(made).")
        }
    }

    private func readAlarms(_ journal: any Journal) async throws {
        let times = ["a": 30, "b": 10, "c": 20].mapValues { TestSession.created + .seconds($0) }
        for (id, time) in times {
            var session = try await TestSession(id, in: journal)
            try await session.append(alarm: .at(time))
            try await session.append()
            try await journal.keep(nil, of: session.lease, isAsleep: true)
        }
        let (created, soon) = (TestSession.created, TestSession.created + .seconds(40))
        let new = NewSession(
            epoch: TestSession.epoch, created: created, schema: 1, alarm: soon, maker: 7
        ) {
            Array("{}".utf8)
        }
        let made = SessionName(mount: "/list", id: "d")
        _ = try await journal.open(made, making: new)
        let last = try await journal.alarms(until: created + .seconds(50), limit: 9)
        try expect(last.due.map(\.id) == ["b", "c", "a", "d"], "A new session's alarm is lost.")
        let listed = try await journal.sessions(after: nil, limit: 9).last
        let opened = try await journal.open(made, making: nil)
        try expect(listed?.maker == 7 && opened?.maker == 7, "A session's maker is lost.")
        try expect(listed?.epoch == TestSession.epoch, "A list has no epoch.")
        let due = try await journal.alarms(until: TestSession.created + .seconds(20), limit: 9)
        try expect(due.due.map(\.id) == ["b", "c"], "Due are \(due.due).")
        try expect(due.next == times["a"], "The next alarm is \(String(describing: due.next)).")
        let first = try await journal.alarms(until: TestSession.created + .seconds(90), limit: 1)
        try expect(first.due.map(\.id) == ["b"] && first.next == times["c"], "A limit is no limit.")
        let name = SessionName(mount: "/list", id: "b")
        guard let lease = try await journal.open(name, making: nil)?.lease else { return }
        let outcomes = Outcomes()
        let entry = EncodedEntry(
            version: 3, at: TestSession.created + .seconds(9),
            head: Array(#"{"origin":"alarm"}"#.utf8),
            patch: nil)
        let batch = AppendBatch(
            lease: lease, expected: 2, count: 1, alarm: .none, receiver: outcomes, ticket: 1)
        if journal.append(batch, [entry]) == nil { _ = await outcomes.outcome(of: 1) }
        try await journal.keep(nil, of: lease, isAsleep: true)
        let rest = try await journal.alarms(until: TestSession.created + .seconds(20), limit: 9)
        try expect(rest.due.map(\.id) == ["c"], "An alarm that was taken back is due.")
    }

    private func sleep(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for _ in 0..<40 { try await session.append() }
        try await journal.keep(nil, of: session.lease, isAsleep: true)
        let late = session.submit(session.batch(of: 1, behind: session.version))
        try expect(await session.outcome(late) == .stale, "A session that sleeps is appended to.")
        try await session.reopen()
        try await session.append()
        try await session.reopen()
    }

    private func readWork(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        for round in UInt8(1)...3 {
            for _ in 0..<50 { try await session.append() }
            try await session.keep(round, isAsleep: round == 2)
            if round == 2 { try await session.reopen() }
        }
        for _ in 0..<100 { try await session.append() }
        try await session.reopen()
        try await readNews(journal)
    }

    // MARK: Erasure

    private func forget(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal, since: TestSession.now)
        for number in 1...20 { try await session.append(2, key: "key-\(number)") }
        // The rest of the batch goes as well.
        try await journal.forget(session.lease, through: 29)
        try await expect(.compacted(oldest: 30)) { () throws(JournalFailure) in
            try await journal.document(of: session.name, at: 29)
        }
        try await expect(.compacted(oldest: 30)) { () throws(JournalFailure) in
            try await journal.entries(of: session.name, after: 0, limit: ReadLimit(entryCount: 9))
        }
        try session.check(try await journal.document(of: session.name, at: 30), at: 30)
        let rest = try await journal.entries(
            of: session.name, after: 30, limit: ReadLimit(entryCount: 99))
        try expect(rest.map(\.version) == Array(31...40), "What is not forgotten is gone.")
        try await session.append()
        try await session.reopen()
        // Sleep may have kept the state at a batch's end: the next batch stays.
        let kept = session.version
        try await journal.keep(nil, of: session.lease, isAsleep: true)
        try await session.reopen()
        try await session.append(3)
        try await journal.forget(session.lease, through: kept)
        try session.check(try await journal.document(of: session.name, at: kept), at: kept)
        let next = try await journal.entries(
            of: session.name, after: kept, limit: ReadLimit(entryCount: 9))
        try expect(next.count == 3, "The batch behind what is forgotten is gone.")
    }

    private func erase(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        var other = try await TestSession("b", in: journal)
        for _ in 0..<20 {
            try await session.append()
            try await other.append()
        }
        try await journal.erase(session.name)
        for new in [nil, TestSession.new] {
            try await expect(.ended) { () throws(JournalFailure) in
                try await journal.open(session.name, making: new)
            }
        }
        try await expect(.compacted(oldest: nil)) { () throws(JournalFailure) in
            try await journal.document(of: session.name, at: 20)
        }
        let late = session.submit(session.batch(of: 1, behind: 20))
        try expect(await session.outcome(late) == .stale, "What was erased is appended to.")
        let left = try await journal.sessions(after: nil, limit: 9)
        try expect(left.map(\.name) == [other.name], "What was erased is listed.")
        try await other.append()
        try await other.reopen()
    }

    private func list(_ journal: any Journal) async throws {
        var names: [SessionName] = []
        for id in (0..<25).map({ "s\($0)" }) {
            var session = try await TestSession(id, in: journal, mount: "/list")
            try await session.append()
            names.append(session.name)
        }
        names.append(try await TestSession("x", in: journal, mount: "").name)
        names.sort { $0.description < $1.description }
        var found: [SessionSummary] = []
        while true {
            let page = try await journal.sessions(after: found.last?.name, limit: 4)
            guard !page.isEmpty else { break }
            found += page
        }
        try expect(found.map(\.name) == names, "The pages are not the sessions.")
        try expect(found.allSatisfy { $0.created == TestSession.created }, "A time is wrong.")
    }

    /// A journal that cannot hide a secret refuses it.
    private func hideSecrets(_ journal: any Journal) async throws {
        var session = try await TestSession("a", in: journal)
        try await session.append()
        var entries = session.batch(of: 1, behind: 1)
        entries[0].secrets = Secret(Array(#"[{"op":"add","path":"/list/-","value":99}]"#.utf8))
        let outcome = await session.outcome(session.submit(entries))
        guard outcome == .kept else {
            return try expect(outcome == .refused(.missingKey), "A secret is \(outcome).")
        }
        let document = try await journal.document(of: session.name, at: 2)
        try expect(document.json == Array(#"{"list":[1,2]}"#.utf8), "A secret is shown.")
        let shown = try await journal.entries(
            of: session.name, after: 1, limit: ReadLimit(entryCount: 1))
        try expect(shown == entries.map(\.withoutSecrets), "An entry has a secret.")
        let opened = try await journal.open(session.name, making: nil)
        try expect(
            opened?.document?.json == Array(#"{"list":[1,2,99]}"#.utf8), "A secret is lost.")
    }
}
