import Journaling
import Redux
import Sessions
import Sockets
import StateCoding
import Testing

@testable import Statecast

@Suite struct `A store that rests` {
    private final class Receiver: AppendReceiver {
        func appended(_ outcomes: [TicketOutcome]) {}
    }

    private func store(
        hasStart: Bool = false, at version: UInt64 = 0
    ) throws -> ApplicationStore<NotesApplication> {
        var application = NotesApplication()
        application.hasStart = hasStart
        let definition = ApplicationDefinition(
            name: "/notes", application: application, code: try ApplicationCode(application),
            views: application.views, middleware: [], options: .init(), givenEnvironment: nil,
            facts: nil, schema: SchemaDocument(title: "/notes"))
        let sessions = SessionContext(
            limits: SessionLimits(), journal: MemoryJournal(), receiver: Receiver(),
            budget: MemoryBudget(limit: 1 << 40, loopCount: 1), loopIndex: 0,
            readClock: { Instant(nanoseconds: 0) }, report: { _, _, _ in })
        let context = ApplicationContext(
            definition, sessions, ActionCounts(typeCount: 4, RoleLabels()))
        return ApplicationStore(
            context, session: try #require(SessionID("s")), epoch: "e",
            application.initialState, at: RestingPoint(version: version, lastChange: version))
    }

    @Test func `has no ledger before it is posted to`() throws {
        let store = try store(at: 7)
        store.startWork()
        store.submitCausedActions { _, _ in .kept }
        #expect(store.version == 7 && store.headVersion == 7 && store.lastChange == 7)
        #expect(store.isIdle && store.isSettled(7) && store.runningWork.isEmpty)
        #expect(store.incarnation == 0)
    }

    @Test func `goes on where its ledger was`() throws {
        let store = try store()
        store.ledger.submit(.added("a"), at: Timestamp(milliseconds: 50)) { _ in .kept }
        #expect(store.incarnation == 1)
        store.dropCaches()
        #expect(store.version == 1 && store.lastChange == 1 && store.state.notes == ["a"])
        #expect(store.incarnation == 1)
        // The time does not go back behind that of an entry before the rest.
        var times: [Timestamp] = []
        store.ledger.submit(.added("b"), at: Timestamp(milliseconds: 20)) { staged in
            times = staged.entries.map(\.entry.at)
            return .kept
        }
        #expect(store.version == 2 && store.state.notes == ["a", "b"])
        #expect(times == [Timestamp(milliseconds: 50)])
        // What the earlier ledger's work would still report is another store's.
        #expect(store.incarnation == 2)
    }

    @Test func `is woken by the work that its state wants, and does not rest with it`() throws {
        let store = try store(hasStart: true)
        store.startWork()
        #expect(store.incarnation == 1 && !store.runningWork.isEmpty)
        store.dropCaches()
        #expect(!store.runningWork.isEmpty)
        store.cancelEffects()
        store.dropCaches()
        #expect(store.runningWork.isEmpty && store.ledger.version == 0 && store.incarnation == 2)
    }

    @Test func `waits for its journal and for those who observe it`() throws {
        let store = try store()
        store.ledger.submit(.added("a")) { _ in .later }
        store.dropCaches()
        #expect(store.headVersion == 1 && store.version == 0)
        store.commit(through: 1)
        let subscription = store.observe({ $0.notes.count }) { _ in }
        store.dropCaches()
        #expect(store.ledger.version == 1 && store.incarnation == 1)
        subscription.cancel()
        store.dropCaches()
        #expect(store.ledger.version == 1 && store.incarnation == 2)
    }

    @Test func `wakes as it is watched`() throws {
        let store = try store()
        store.watch(by: 1)
        #expect(store.incarnation == 0)
        store.ledger.submit(.added("a")) { _ in .kept }
        store.dropCaches()
        store.ledger.submit(.added("b")) { _ in .kept }
        #expect(store.version == 2 && store.incarnation == 2)
    }
}
