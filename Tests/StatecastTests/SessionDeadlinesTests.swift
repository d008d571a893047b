import Journaling
import Redux
import Sessions
import Sockets
import StateCoding
import Testing

@testable import Statecast

@Suite struct `The deadlines of sessions` {
    private final class Receiver: AppendReceiver {
        func appended(_ outcomes: [TicketOutcome]) {}
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func sessions(_ count: Int) throws -> [Session] {
        let application = NotesApplication()
        let definition = ApplicationDefinition(
            name: "/notes", application: application, code: try ApplicationCode(application),
            views: application.views, middleware: [], options: .init(), givenEnvironment: nil,
            facts: nil, schema: SchemaDocument(title: "/notes"))
        let context = SessionContext(
            limits: SessionLimits(), journal: MemoryJournal(), receiver: Receiver(),
            budget: MemoryBudget(limit: 1 << 40, loopCount: 1), loopIndex: 0,
            readClock: { Instant(nanoseconds: 0) }, report: { _, _, _ in })
        let shared = ApplicationContext(
            definition, context, ActionCounts(typeCount: 4, RoleLabels()))
        return try (0..<count).map { number in
            let id = try #require(SessionID("s\(number)"))
            let store = ApplicationStore(
                shared, session: id, epoch: "e", application.initialState, at: RestingPoint())
            let opened = OpenedSession(
                lease: Lease(session: 1, number: 1), epoch: "e",
                created: Timestamp(milliseconds: 0), document: nil)
            return Session(
                id: id, mount: 0, opened: opened, store: store,
                at: at(0), context)
        }
    }

    @Test func `leave ten thousand sessions alone until something of them is due`() throws {
        let sessions = try sessions(10_000)
        let deadlines = SessionDeadlines()
        for session in sessions { deadlines.expect(session, by: at(3_600)) }
        // A later instant is no reason to look, and changes nothing.
        for session in sessions { deadlines.expect(session, by: at(86_400)) }
        for second in 1..<3_600 { #expect(deadlines.next(at: at(Int64(second))) == nil) }
        var found = 0
        while deadlines.next(at: at(3_600)) != nil { found += 1 }
        #expect(found == 10_000 && deadlines.count == 0)
    }

    @Test func `come sooner where something is due before, and once for each look`() throws {
        let sessions = try sessions(3)
        let deadlines = SessionDeadlines()
        for session in sessions { deadlines.expect(session, by: at(100)) }
        deadlines.expect(sessions[1], by: at(20))
        deadlines.remove(sessions[2])
        #expect(deadlines.next(at: at(19)) == nil)
        #expect(deadlines.next(at: at(20)) === sessions[1])
        #expect(sessions[1].deadline == .never && deadlines.next(at: at(99)) == nil)
        #expect(deadlines.next(at: at(100)) === sessions[0])
        #expect(deadlines.next(at: at(1_000)) == nil)
        sessions[0].end()
        deadlines.expect(sessions[0], by: at(2_000))
        #expect(deadlines.count == 0)
    }

    @Test func `come in the order of their use where they are hurried, a second at a time`() throws
    {
        let sessions = try sessions(200)
        let deadlines = SessionDeadlines()
        // Each was used once more since its deadline was set.
        for (index, session) in sessions.enumerated() {
            deadlines.expect(session, by: at(Int64(61 + index * 7 % 50)))
            session.noteUse(at: at(Int64(1 + index * 7 % 50 + index % 9)))
        }
        var slept: [Instant] = []
        for second in 1...59 as ClosedRange<Int64> {
            deadlines.hurry(by: .seconds(1))
            while let session = deadlines.next(at: at(60)) {
                let due = session.lastUse.advanced(by: .seconds(60))
                if due > at(60 + second) {
                    deadlines.expect(session, by: due, early: .seconds(second))
                } else {
                    slept.append(session.lastUse)
                }
            }
        }
        #expect(slept.count == 200 && slept == slept.sorted())
    }

    @Test func `come at once where they are hurried, and only those of that time`() throws {
        let sessions = try sessions(3)
        let deadlines = SessionDeadlines()
        deadlines.expect(sessions[0], by: at(25))
        deadlines.expect(sessions[1], by: at(40))
        deadlines.hurry(by: .seconds(30))
        #expect(deadlines.next(at: at(1)) === sessions[0] && deadlines.next(at: at(1)) == nil)
        deadlines.expect(sessions[0], by: at(20))
        deadlines.expect(sessions[2], by: at(50))
        // What was expected before comes early, once; what is expected since comes in its time.
        #expect(deadlines.next(at: at(10)) === sessions[1] && deadlines.next(at: at(19)) == nil)
        #expect(deadlines.next(at: at(20)) === sessions[0] && deadlines.next(at: at(49)) == nil)
        #expect(deadlines.next(at: at(50)) === sessions[2])
    }
}
