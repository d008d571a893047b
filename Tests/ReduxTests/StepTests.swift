import Redux
import StatecastTesting
import Synchronization
import Testing

private typealias Record = StepAction.Record

private let alice = Principal("alice", roles: ["admin"])
private let bob = Principal("bob")

@Suite struct `A step tells` {
    private func session() throws -> SessionID { try #require(SessionID("list")) }

    private func makeTestStore() throws -> TestStore<[Record], StepAction> {
        TestStore(
            initial: [], reducer: StepAction.reducer, middleware: [StepAction.middleware],
            as: alice, session: try session(), exhaustivity: .nonExhaustive,
            time: Timestamp(milliseconds: 100))
    }

    @Test(arguments: [false, true])
    func `who sent an action, when, as which entry of which session`(reacts: Bool) throws {
        let bench = StepBench(reacts: reacts)
        bench.wall = 5
        bench.submit(.told, by: alice)
        bench.wall = 6
        bench.submit(.told)
        bench.submit(.told, by: .anonymous)
        let session = try session()
        #expect(
            bench.records == [
                Record(by: alice, at: 5, version: 1, session: session),
                Record(by: nil, at: 6, version: 2, session: session),
                Record(by: .anonymous, at: 6, version: 3, session: session),
            ])
        #expect(bench.seen.map(\.by) == (reacts ? [alice, nil, .anonymous] : []))
        #expect(bench.seen.map(\.at.milliseconds) == (reacts ? [5, 6, 6] : []))
    }

    @Test(arguments: [false, true])
    func `the same of each action of a batch, but for its version`(reacts: Bool) throws {
        let bench = StepBench(reacts: reacts)
        bench.wall = 5
        bench.submit(batch: [.told, .silent, .told], by: bob)
        #expect(bench.records.map(\.by) == [bob, bob])
        #expect(bench.records.map(\.at) == [5, 5])
        #expect(bench.records.map(\.version) == [1, 3])
        #expect(bench.records.map(\.cause) == [nil, nil])
        #expect(bench.staged.map(\.by) == [bob, bob, bob])
        #expect(bench.staged.map(\.at.milliseconds) == [5, 5, 5])
    }

    @Test func `the same of each action that an interceptor makes of one`() throws {
        let store = try makeTestStore()
        store.send(.expanded)
        let session = try session()
        #expect(
            store.state == [
                Record(by: alice, at: 100, version: 1, session: session),
                Record(by: alice, at: 100, version: 2, session: session),
            ])
    }

    @Test func `who sent an action that was delayed, and the time of its end`() throws {
        let store = try makeTestStore()
        store.send(.told)
        #expect(store.send(.delayed, as: bob) == .delayed(.seconds(1)))
        store.advance(by: .milliseconds(1_500))
        store.skipReceived()
        let record = try #require(store.state.last)
        #expect(record.by == bob)
        #expect(record.at == 1_100)
        #expect(record.version == 2)
        // The entry behind which it waited.
        #expect(record.cause == 1)
    }

    @Test func `that the server itself reports for an effect, and the version that wanted it`()
        throws
    {
        let store = try makeTestStore()
        store.send(.told)
        store.send(.worked)
        store.advance(by: .milliseconds(1_000))
        store.skipReceived()
        let reported = Record(by: nil, at: 1_100, version: 3, cause: 2, session: try session())
        #expect(store.state.last == reported)
    }

    @Test func `the version that an observer was told of as the cause of what it dispatches`()
        throws
    {
        let store = Store<[Record], StepAction>(
            initial: [], reducer: StepAction.reducer,
            environment: Environment(now: { Timestamp(milliseconds: 9) }),
            session: try session())
        let subscription = store.observe({ $0.count }) { count in
            guard count == 1 else { return }
            store.dispatch(.told, as: bob)
            store.dispatch(batch: [.told, .told])
        }
        store.dispatch(.told, as: alice)
        #expect(store.state.map(\.by) == [alice, bob, nil, nil])
        #expect(store.state.map(\.version) == [1, 2, 3, 4])
        #expect(store.state.map(\.cause) == [nil, 1, 1, 1])
        #expect(store.state.map(\.at) == [9, 9, 9, 9])
        #expect(store.state.allSatisfy { $0.session.description == "list" })
        subscription.cancel()
    }

    @Test func `that nothing wanted an action once it comes from outside again`() throws {
        let store = try makeTestStore()
        store.send(.worked)
        store.advance(by: .seconds(1))
        store.skipReceived()
        store.send(.told, as: bob)
        let sent = Record(by: bob, at: 1_100, version: 3, session: try session())
        #expect(store.state.last == sent)
    }

    @Test func `a server's word by nobody's name, and a client's by its own`() throws {
        let store = try makeTestStore()
        store.report(.told)
        store.send(.told)
        store.send(.told, as: bob)
        #expect(store.state.map(\.by) == [nil, alice, bob])
    }
}

@Suite struct `The time of a step` {
    @Test(arguments: [false, true])
    func `is not before the last entry of an earlier ledger, although the wall clock is`(
        reacts: Bool
    ) {
        let bench = StepBench(reacts: reacts, lastTime: 7)
        #expect(bench.ledger.lastTime?.milliseconds == 7)
        bench.wall = 5
        bench.submit(.told)
        bench.submit(.told, at: 6)
        bench.wall = 8
        bench.submit(.told)
        #expect(bench.records.map(\.at) == [7, 7, 8])
        #expect(bench.staged.map(\.at.milliseconds) == [7, 7, 8])
        #expect(bench.ledger.lastTime?.milliseconds == 8)
        #expect(StepBench().ledger.lastTime == nil)
    }

    @Test(arguments: [false, true])
    func `never goes back, although the wall clock does`(reacts: Bool) {
        let bench = StepBench(reacts: reacts)
        for wall: Int64 in [10, 5, 9, 12, 11] {
            bench.wall = wall
            bench.submit(.told)
        }
        #expect(bench.records.map(\.at) == [10, 10, 10, 12, 12])
        #expect(bench.staged.map(\.at.milliseconds) == [10, 10, 10, 12, 12])
    }

    @Test func `never goes back behind entries that ask for none, or are told theirs`() {
        let bench = StepBench()
        bench.wall = 10
        bench.submit(.silent)
        bench.wall = 5
        bench.submit(.told)
        bench.submit(.told, at: 7)
        bench.submit(.told, at: 30)
        bench.submit(.told)
        #expect(bench.records.map(\.at) == [10, 10, 30, 30])
    }

    @Test func `never goes back where reactions had an earlier batch made once more`() {
        let bench = StepBench(reacts: true)
        bench.keeping = .later
        bench.wall = 5
        bench.submit(batch: [.told, .told])
        bench.wall = 10
        bench.submit(.told)
        bench.ledger.commit(through: 2)
        bench.wall = 7
        bench.submit(.told)
        bench.ledger.commit(through: 4)
        #expect(bench.records.map(\.at) == [5, 5, 10, 10])
    }

    @Test func `is read once, however often the reducer asks`() {
        let bench = StepBench(reacts: true, ticking: true, checks: ReductionChecks())
        bench.submit(.told)
        bench.submit(.told)
        #expect(bench.records.map(\.at) == [1, 2])
        #expect(bench.seen.map(\.at.milliseconds) == [1, 2])
        #expect(bench.staged.map(\.at.milliseconds) == [1, 2])
    }

    @Test func `is that which interceptors were told`() {
        let wall = Atomic<Int64>(0)
        let told = Mutex<[Int64]>([])
        let store = Store<[Record], StepAction>(
            initial: [], reducer: StepAction.reducer,
            middleware: [
                Middleware("before") { _, _, incoming in
                    told.withLock { $0.append(incoming.at.milliseconds) }
                    return .pass
                }
            ],
            environment: Environment(now: {
                Timestamp(milliseconds: wall.wrappingAdd(1, ordering: .relaxed).newValue)
            }))
        for _ in 0..<3 { store.dispatch(.told) }
        #expect(store.state.map(\.at) == [1, 2, 3])
        #expect(told.withLock { $0 } == [1, 2, 3])
    }

    @Test func `is whole milliseconds, whatever the clock shows`() {
        let store = TestStore(
            initial: [], reducer: StepAction.reducer, exhaustivity: .nonExhaustive)
        store.advance(by: .microseconds(1_999))
        store.send(.told)
        store.advance(by: .microseconds(1))
        store.send(.told)
        #expect(store.state.map(\.at) == [1, 2])
    }
}
