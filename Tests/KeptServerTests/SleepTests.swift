import Foundation
import JournalSQLite
import StateCoding
import Statecast
import StatecastTesting
import Synchronization
import TemporaryFolder
import Testing

/// A text, as large as it is set.
private struct TextApplication: Application {
    struct State: StateValue { var text = "" }
    enum Action: ActionGroup { case set(length: Int) }

    let initialState = State()
    let views = Views<State>.all

    func work(in state: State) -> [Work<Action>] {}

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        if case .set(let length) = action { state.text = String(repeating: "x", count: length) }
    }
}

/// A number, in place of a text.
private struct NumberApplication: Application {
    struct State: StateValue { var number = 0 }
    enum Action: ActionGroup { case counted }

    let initialState = State()
    let views = Views<State>.all

    func work(in state: State) -> [Work<Action>] {}
    func reduce(_ state: inout State, _ action: Action, _ step: Step) {}
}

@Suite struct `Sleeping sessions` {
    private let folder = TemporaryFolder()

    private func serve(
        lifetime: Duration? = nil, _ change: (inout ServerConfiguration) -> Void = { _ in },
        forgetting: (@Sendable (SessionID) async throws -> Void)? = nil,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        change(&configuration)
        try await TestServer.run(
            configuration,
            serving: {
                Served(
                    "/text", TextApplication(),
                    options: SessionOptions(lifetime: lifetime, forgetting: forgetting))
            }, body: body)
    }

    private func list(_ server: TestServer) throws -> [JSONValue] {
        try #require(try server.send("GET", "/text/sessions").json().elements)
    }

    private func asleep(_ server: TestServer) throws -> [String] {
        try list(server).filter { $0["asleep"]?.bool ?? false }.compactMap { $0["id"]?.string }
    }

    /// Each session takes a little more than a kibibyte: from 90 on either is short.
    @Test(arguments: [(100 << 10, 100_000), (1 << 30, 90)])
    func `are those that were not used for the longest, where room is short`(
        byteCount: Int, sessionCount: Int
    ) async throws {
        try await serve {
            $0.limits.memoryByteCount = byteCount
            $0.sessionLimits.sessionCount = sessionCount
            $0.sessionLimits.sessionShare = 1
        } _: { server in
            let count = min(96, sessionCount)
            for number in 100..<100 + count {
                if number == 160 {
                    try await server.pass(seconds: 2)
                    // Made first and used last.
                    _ = try server.send("GET", "/text/sessions/s100")
                }
                #expect(try server.create("/text/sessions/s\(number)").status == 201)
            }
            try await server.pass(seconds: 3)
            let asleep = try asleep(server)
            #expect((1..<20).contains(asleep.count))
            #expect(asleep == (101..<101 + asleep.count).map { "s\($0)" })
            // The next use wakes them.
            #expect(try server.send("GET", "/text/sessions/s101/state").body == #"{"text":""}"#)
            // The server's own: the share of a client counts those that sleep.
            _ = try await server.sessions.create("more", of: TextApplication.self)
        }
    }

    @Test func `one that cannot be read and is deleted gives its place back`() async throws {
        try await serve { server in
            for id in ["dem", "demo", "demp"] { try server.create("/text/sessions/\(id)") }
        }
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        configuration.sessionLimits.sessionCount = 3
        configuration.sessionLimits.sessionShare = 1
        try await TestServer.run(
            configuration, serving: { Served("/text", NumberApplication()) }
        ) { server in
            try await server.pass(seconds: 2)
            #expect(try server.create("/text/sessions/more").problem == "too-many-sessions")
            #expect(try server.send("GET", "/text/sessions/demo").status == 423)
            #expect(try server.send("DELETE", "/text/sessions/demo").status == 204)
            #expect(try server.create("/text/sessions/more").status == 201)
            #expect(try server.create("/text/sessions/most").problem == "too-many-sessions")
        }
    }

    @Test func `are streamed to one who comes with a ticket that is good once`() async throws {
        try await serve { server in try server.create("/text/sessions/demo") }
        let wasUsed = Mutex(false)
        let authorize: @Sendable (AccessRequest) -> Access = { request in
            let isNew = wasUsed.withLock { wasUsed in
                defer { wasUsed = true }
                return !wasUsed
            }
            return isNew || request.purpose == .openStream
                ? .granted(Principal("ada", roles: ["observe"])) : .unauthenticated
        }
        try await serve {
            $0.authorize = authorize
        } _: { server in
            let target = "/text/sessions/demo/events?ticket=t"
            let stream = try server.events("/text/sessions/demo", query: "?ticket=t")
            #expect(try stream.next()?.data == #"{"text":""}"#)
            #expect(try server.send("GET", target).status == 401)
        }
    }

    @Test func `are as many as a journal may have, whoever has made them`() async throws {
        try await serve({ $0.sessionLimits.keptCount = 2 }) { server in
            for id in ["a", "b"] { try server.create("/text/sessions/\(id)") }
            let refused = try server.create("/text/sessions/c")
            #expect(refused.status == 503 && refused.problem == "too-many-sessions")
            #expect(try server.send("GET", "/text/sessions/a/state").status == 200)
        }
    }

    @Test func `count into the share of who has made them, also after a restart`() async throws {
        let change: (inout ServerConfiguration) -> Void = { configuration in
            configuration.sessionLimits.sessionShare = 0
            configuration.sessionLimits.idleDuration = .milliseconds(1)
            configuration.sessionLimits.lifetime = nil
        }
        let post = #"{"length":1}"#
        try await serve(change) { server in
            for number in 10..<26 {
                try server.create("/text/sessions/s\(number)")
                _ = try server.dispatch("/text/sessions/s\(number)", "set", post)
            }
            while try asleep(server).count < 16 { try await server.pass(seconds: 1) }
            #expect(try server.create("/text/sessions/more").problem == "too-many-sessions")
        }
        try await serve(change) { server in
            try await server.pass(seconds: 2)
            #expect(try server.create("/text/sessions/more").problem == "too-many-sessions")
            #expect(try server.send("DELETE", "/text/sessions/s10").status == 204)
            #expect(try server.create("/text/sessions/more").status == 201)
        }
    }

    @Test func `end once their lifetime is over, and those that were never posted to before`()
        async throws
    {
        try await serve { server in
            // More than are looked at, and than end, at once.
            for id in ["posted"] + (0..<300).map({ "unposted-\($0)" }) {
                try server.create("/text/sessions/\(id)")
            }
            _ = try server.dispatch("/text/sessions/posted", "set", #"{"length":1}"#)
        }
        try await serve {
            $0.sessionLimits.idleDuration = .milliseconds(1)
        } _: { server in
            while try list(server).count > 1 { try await server.pass(seconds: 1) }
            #expect(try server.send("GET", "/text/sessions/unposted-299").status == 410)
            #expect(try list(server).compactMap { $0["id"]?.string } == ["posted"])
        }
        let forgotten = Mutex<[String]>([])
        try await serve(
            lifetime: .milliseconds(1),
            forgetting: { id in forgotten.withLock { $0.append("\(id)") } }
        ) { server in
            while try !list(server).isEmpty { try await server.pass(seconds: 1) }
            #expect(try server.send("GET", "/text/sessions/posted").status == 410)
        }
        #expect(forgotten.withLock { $0 } == ["posted"])
    }
}
