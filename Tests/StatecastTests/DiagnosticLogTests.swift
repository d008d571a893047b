import Journaling
import Logging
@testable import Statecast
import Sockets
import StatecastTesting
import Testing

/// What stores tell apart from their states.
@Suite("The log of diagnostics", .onBothJournals)
struct DiagnosticLogTests {
    private func logger(_ lines: LogLines) -> Logger {
        Logger(label: "test") { _ in lines.handler }
    }

    private func at(_ seconds: Int64) -> Instant {
        Instant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `of each kind a few lines a while, then how many more`() {
        let lines = LogLines()
        let log = DiagnosticLog(logger: logger(lines))
        for number in 1...25 {
            let diagnostic = StoreDiagnostic.effectFailed(name: "e\(number)", error: "x")
            log.write(diagnostic.line, of: "/a/b", at: at(1))
        }
        let large = StoreDiagnostic.largeState(version: 3, byteCount: 20, budget: 10)
        log.write(large.line, of: "/a/b", at: at(2))
        #expect(lines.all.count == 11)
        #expect(lines.all[0] == "warning The effect e1 has failed: x")
        #expect(
            lines.all[10]
                == "warning The state at #3 has grown to 20 bytes, above the budget of 10.")
        log.closeWindows(at: at(10))
        #expect(lines.all.count == 11)
        log.closeWindows(at: at(11))
        #expect(lines.all.last == "warning and 15 more like this")
        log.write(
            StoreDiagnostic.effectFailed(name: "e26", error: "x").line, of: "/a/b", at: at(12))
        #expect(lines.all.last == "warning The effect e26 has failed: x")
    }

    @Test func `a commit that takes long is told of once a minute, with what to look at`() {
        let lines = LogLines()
        let log = DiagnosticLog(logger: logger(lines))
        for (second, commit) in [(1, 0), (2, 1), (3, 2), (4, 3), (62, 61), (63, 62), (70, 0)] {
            var journal = JournalStatus()
            journal.pendingDuration = .seconds(commit)
            log.look(at: journal, now: at(Int64(second)))
        }
        let said = [2, 62].map { "warning The journal has not ended a commit for \($0) s:" }
        #expect(lines.all.map { $0.prefix { $0 != ":" } + ":" } == said.map { $0[...] })
        #expect(lines.all.allSatisfy { $0.contains("dmesg") })
    }

    @Test func `so is what a journal fails to drop, unless all of it is away`() {
        let lines = LogLines()
        let log = DiagnosticLog(logger: logger(lines))
        var journal = JournalStatus()
        (journal.isAvailable, journal.upkeepFailure) = (false, .unavailable)
        log.look(at: journal, now: at(1))
        #expect(lines.all.isEmpty)
        (journal.isAvailable, journal.upkeepFailure) = (true, .readOnly)
        for second in [2, 3, 62] { log.look(at: journal, now: at(Int64(second))) }
        let said = "error Old and erased entries stay in the journal (readOnly): it tries again."
        #expect(lines.all == [said, said])
    }

    @Test(arguments: [
        (
            StoreDiagnostic.chainCut(causes: [1, 2, 3], limit: 3),
            "error An action caused by #1 #2 #3 was cut off: at most 3 follow."
        ),
        (
            .effectsExhausted(name: "load", limit: 5),
            "warning The effect load was not started: there are 5 already."
        ),
        (
            .effectRejected(
                name: "load", rejection: Rejection("too-late", "Not any more.")),
            "notice What the effect load reported was rejected with too-late."
        ),
        (
            .causedActionRejected(
                cause: 3, rejection: Rejection("too-late", "Not any more.")),
            "notice What followed from #3 was rejected with too-late."
        ),
        (
            .impureReduction(version: 4, action: "added", differences: ["count: 1 → 2", "…"]),
            "error The reducer is not pure: added at #4, done twice, differs: count: 1 → 2; …"
        ),
        (
            .slowReduction(
                version: 4, action: "added", duration: .milliseconds(30), budget: .milliseconds(10)),
            "warning added at #4 took 0.03 seconds, above the budget of 0.01 seconds."
        ),
        (
            .work(.namedTwice(name: "ask")),
            "error Two works of a state have the name ask: the first counts, give the other its own."
        ),
        (
            .effectFailed(name: "mail/a\nb", error: "no\r\nerror all is lost\u{1B}[2J\u{2028}"),
            #"warning The effect mail/a\nb has failed: no\r\nerror all is lost\u{1B}[2J\u{2028}"#
        ),
    ])
    func `each says what has happened`(diagnostic: StoreDiagnostic, line: String) {
        let lines = LogLines()
        let log = DiagnosticLog(logger: logger(lines))
        log.write(diagnostic.line, of: "/a/b", at: at(0))
        #expect(lines.all == [line])
    }

    @Test func `an effect that fails is in the server's log`() async throws {
        let lines = LogLines()
        try await Demo.notes(changing: { $0.logger = logger(lines) }) { demo in
            try demo.dispatch("failed", query: "?settle=20")
        }
        #expect(lines.all.contains("warning The effect failing has failed: out of luck"))
    }

    @Test func `that nothing is kept is said at the start`() async throws {
        let lines = LogLines()
        try await Demo.notes(changing: {
            $0.logger = logger(lines)
            $0.journal = MemoryJournal()
        }) { _ in }
        let said = "notice sessions are kept in memory: they end with this process"
        #expect(lines.all.contains(said))
    }

    @Test func `a reducer that is not pure is in the log of a server that checks`() async throws {
        let lines = LogLines()
        try await Demo.serve(
            Served("/dice", DiceApplication()),
            changing: {
                $0.logger = logger(lines)
                $0.checksReducers = true
            }
        ) { demo in
            let answer = try demo.dispatch("thrown")
            #expect(answer.status == 200)
        }
        let line = try #require(lines.all.first { $0.hasPrefix("error The reducer is not pure: ") })
        #expect(line.contains("thrown at #1"))
        #expect(line.contains("eyes: "))
    }

    /// Depends on chance, as a reducer must not.
    private struct DiceApplication: PlainApplication {
        struct State: StateValue { var eyes: UInt64 = 0 }
        enum Action: ActionGroup { case thrown }
        let initialState = State()

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
            state.eyes = .random(in: 0...(.max))
        }
    }
}
