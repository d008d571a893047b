import Sockets
import Statecast
import StatecastTesting
import Testing

@testable import AuctionModel

@Suite(.timeLimit(.minutes(1))) struct `A test session` {
    typealias Session = TestSession<DiaryApplication>

    private func withSession(
        environment: Environment? = nil, _ body: @Sendable (Session) throws -> Void
    ) async throws {
        try await TestServer.run(serving: {
            Served("/diary", DiaryApplication(), environment: environment)
        }) { server in
            try body(try server.session(of: DiaryApplication.self, at: "/diary"))
        }
    }

    @Test func `sends actions and reads states as the application's own values`() async throws {
        try await withSession { session in
            try session.send(.written("a"))
            let answer = try session.send(batch: [.written("b"), .opened(number: 7)])
            let state = try session.state()
            #expect(state.entries == ["a", "b"])
            #expect(state.page?.number == 7)
            #expect(answer.isSuccess)
            #expect(try session.view("count") == 2)
        }
    }

    @Test func `waits until the effects of an action have ended`() async throws {
        try await withSession { session in
            try session.send(.written("a"), settling: .seconds(10))
            #expect(try session.state().saved == 1)
        }
    }

    @Test func `watches until the state is as wanted`() async throws {
        try await withSession { session in
            let watcher = try session.watch()
            for text in ["a", "b", "c"] { try session.send(.written(text)) }
            let state = try watcher.first { $0.saved == 3 }
            #expect(state.entries == ["a", "b", "c"])
            #expect(watcher.token?.hasSuffix("-4") == true)
        }
    }

    @Test func `watches parts that leave the state, and views`() async throws {
        try await withSession { session in
            let page = try session.watch(select: "/page", as: DiaryApplication.Page.self)
            let count = try session.watch(view: "count", as: Int.self)
            #expect(try page.next() == .outOfScope)
            try session.send(.opened(number: 7))
            #expect(try page.first { _ in true }.number == 7)
            try session.send(.closed)
            #expect(try page.next() == .outOfScope)
            try session.send(.written("a"))
            #expect(try count.first { $0 == 1 } == 1)
        }
    }

    @Test func `moves the server's effects by a clock of its own`() async throws {
        let clock = ManualClock()
        try await withSession(environment: clock.environment()) { session in
            let watcher = try session.watch()
            try session.send(.written("a"))
            clock.advance(by: .milliseconds(299))
            #expect(try session.state().saved == 0)
            clock.advance(by: .milliseconds(1))
            try watcher.first { $0.saved == 1 }
        }
    }

    @Test func `is made by POST, of an input, or found by its handle or path`() async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            .granted(
                Principal(
                    request.authorization.map { "\($0.dropFirst(7))" } ?? "",
                    roles: ["act", "observe"]))
        }
        try await TestServer.run(
            configuration,
            serving: {
                Served("/auctions", Auction(flaw: .none))
            }
        ) { server in
            let ann = ["Authorization": "Bearer ann"]
            let made = try server.session(
                of: Auction.self, at: "/auctions", named: nil,
                input: .init(title: "A clock"), fields: ann)
            #expect(made.path.count == "/auctions/sessions/".count + 32)
            #expect(try made.state().seller == "ann")
            let found = try TestSession(of: Auction.self, on: server, at: made.path)
            try found.send(.bid(amount: 2), fields: ["Authorization": "Bearer bob"])
            let handle = try await server.sessions.create(
                of: Auction.self, input: .init(title: "A lamp"), as: Principal("eve"))
            #expect(try server.session(handle).state().seller == "eve")
            let error = #expect(throws: TestFailure.self) {
                try server.session(
                    of: Auction.self, at: "/auctions", input: .init(title: "Air", seconds: 0),
                    fields: ann)
            }
            #expect(error.map { "\($0)" }?.contains(#""pointer":"/seconds""#) == true)
        }
    }

    // MARK: Failing

    @Test func `fails where an action is not rejected as expected`() async throws {
        try await withSession { session in
            try session.send(.written(""), rejectedAs: "empty-entry")
            withKnownIssue { try session.send(.written(""), rejectedAs: "other") }
            withKnownIssue { try session.send(.closed, rejectedAs: "empty-entry") }
        }
    }

    @Test func `throws what the server says where an action is refused`() async throws {
        try await withSession { session in
            let error = #expect(throws: TestFailure.self) { try session.send(.written("")) }
            #expect(error.map { "\($0)" }?.contains("An entry needs some text.") == true)
        }
    }

    @Test func `throws what came last where the wanted state does not come in time`() async throws {
        try await withSession { session in
            try session.send(.written("a"))
            let watcher = try session.watch()
            let error = #expect(throws: TestFailure.self) {
                try watcher.first(within: .milliseconds(500)) { $0.entries.count == 2 }
            }
            let text = try #require(error.map { "\($0)" })
            #expect(text.contains("within 0.5 seconds") && text.contains("[\"a\"]"))
        }
    }

    @Test func `throws at the end of the stream`() async throws {
        try await withSession { session in
            let watcher = try session.watch()
            try watcher.first { _ in true }
            try session.end()
            #expect(throws: TestFailure.self) { try watcher.first { $0.entries.count == 2 } }
            #expect(try watcher.next() == nil)
            #expect(throws: TestFailure.self) { try session.state() }
        }
    }
}
