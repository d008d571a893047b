import Journaling
import Sockets
import StatecastTesting
import Testing

@testable import Redux
@testable import Statecast

@Suite(.onBothJournals) struct `Work that uses sessions` {
    private func work(
        _ depth: Int = 0, after outer: OuterChain? = nil,
        _ limits: StoreLimits = StoreLimits(), elapsed: Duration = .zero
    ) -> CallingWork {
        CallingWork(
            WorkChain(key: "k3f9-42/order", depth: depth, outer: outer) { elapsed }, limits: limits)
    }

    private func actions(
        _ list: [TableApplication.Action], key: String? = nil, from work: CallingWork? = nil
    ) throws -> HandledActions<TableApplication.Action> {
        try HandledActions(
            list, as: nil, key: key, from: work, to: SessionName(mount: "/table", id: "a"),
            try ActionCoder(), batchLimit: 100, hash: KeyedHash(key: Array(0..<16)))
    }

    @Test func `numbers its dispatches, so that those of a repeat have the same keys`() throws {
        let first = work()
        let keys = ["a", "b", "a"].map { first.nextKey(to: SessionName(mount: "/table", id: $0)) }
        // Whichever of two sessions comes first, each has its own.
        #expect(keys == ["k3f9-42/order/1", "k3f9-42/order/1", "k3f9-42/order/2"])
        let key = try actions([.noted("a")], from: work()).key
        #expect(try actions([.noted("b")], from: work()).key == key)
        #expect(try actions([.noted("a")], key: "mine", from: work()).key != key)
        #expect(try actions([.noted("a")]).key == nil)
        let print = try actions([.noted("a")], key: "mine").key
        #expect(try actions([.noted("a")], key: "mine").key == print)
        #expect(try actions([.noted("b")], key: "mine").key != print)
    }

    @Test func `goes on with its chain, which is cut where it is long enough`() throws {
        #expect(try work(99).enterChain().depth == 99)
        #expect(throws: SessionError.rejected(.chainCut)) { try work(100).enterChain() }
    }

    @Test func `may not lead to more dispatches than one action may`() throws {
        var limits = StoreLimits()
        limits.followingActions = 5
        let outer = OuterChain(depth: 1, tally: ChainTally())
        for _ in 0..<5 {
            #expect(try work(2, after: outer, limits).enterChain().tally == outer.tally)
        }
        #expect(throws: SessionError.rejected(.chainCut)) {
            try work(2, after: outer, limits).enterChain()
        }
        #expect(try work(2, limits).enterChain().tally != outer.tally)
    }

    @Test func `begins a new chain once it has taken its time`() throws {
        let chain = try work(100, elapsed: .seconds(1)).enterChain()
        #expect(chain.depth == 0)
    }

    @Test func `acts once in the other session, however often it runs`() async throws {
        try await TestServer.run(serving: { TableApplication().served(at: "/table") }) { server in
            let sessions = server.sessions
            try await sessions.create("one", of: TableApplication.self)
            for _ in 0..<3 {
                let table = try sessions.used(in: work())
                    .session("one", of: TableApplication.self)
                try await table.dispatch(.noted("a"))
                try await table.dispatch(.noted("b"))
            }
            let plain = try sessions.session("one", of: TableApplication.self)
            #expect(try await plain.state.notes == ["a", "b"])
        }
    }

    @Test(arguments: [1, 2])
    func `of two tables throws a ball to and fro until the chain is cut`(
        loopCount: Int
    ) async throws {
        try await TestServer.run(
            changing: { $0.loopCount = loopCount },
            serving: { TableApplication().served(at: "/table") }
        ) { server in
            let first = try await server.sessions.create("a", of: TableApplication.self)
            let second = try await server.sessions.create("b", of: TableApplication.self)
            let notes = [first, second].map { $0.values(of: \.notes) }
            try await first.dispatch(.thrown(to: "b"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for notes in notes {
                    group.addTask {
                        for try await list in notes where list.contains("chain-cut") { return }
                    }
                }
                _ = try await group.next()
                group.cancelAll()
            }
            let throwCount =
                try await (first.state.ball?.number ?? 0) + (second.state.ball?.number ?? 0)
            #expect((50...101).contains(throwCount))
        }
    }

    @Test func `has no sessions in a test's store`() {
        let store = TestStore(TableApplication(), session: SessionID("a"))
        store.send(.thrown(to: "b")) { $0.ball = .init(to: "b", number: 1) }
        store.receive(.said(.value("The server does not serve now."))) {
            $0.notes = ["The server does not serve now."]
        }
    }
}
