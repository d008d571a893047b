import Sockets
import Statecast
import Synchronization
import Testing

@testable import StatecastTesting

@Suite(.serialized, .onBothJournals) struct `A settling answer` {
    /// Work that lasts until it is stopped, and a reducer that waits for the test.
    private struct WorkApplication: Application {
        struct State: StateValue { var isWorking = false }
        enum Action: ActionGroup {
            case started, stopped, blocked
            case told(Answer<Done>)
        }

        let initialState = State()
        let views = Views<State>.all
        let lock: TestLock
        let gate: Gate

        func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
            switch action {
            case .started: state.isWorking = true
            case .stopped, .told: state.isWorking = false
            case .blocked: lock.pass()
            }
        }

        func work(in state: State) -> [Work<Action>] {
            if state.isWorking {
                Work("work", { [gate] in await gate.wait() }) { .told($0) }
            }
        }
    }

    /// Held by the test while a loop shall not go on.
    private final class TestLock: Sendable {
        private let mutex = Mutex(())

        func pass() { mutex.withLock { _ in } }

        func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
            try mutex.withLock { _ in try body() }
        }
    }

    /// Of two sessions that live on two loops, at least one is asked from the other's loop.
    @Test(arguments: 0..<8)
    func `leaves in the turn of the action that settles it, whichever loop that comes from`(
        number: Int
    ) async throws {
        let (lock, gate) = (TestLock(), Gate())
        try await TestServer.run(
            changing: { $0.loopCount = 2 },
            serving: { Served("/work", WorkApplication(lock: lock, gate: gate)) }
        ) { server in
            let session = "/work/sessions/s\(number)"
            try server.create(session)
            let blocking = try server.connect()
            // So often that it has moved to the loop of the session.
            for _ in 0..<12 {
                try blocking.send("GET \(session)/state HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try blocking.receive { $0.last == UInt8(ascii: "}") }
            }
            let settling = try server.connect()
            try settling.send(Self.request("started", session, "?settle=20", server))
            while try server.send("GET", "\(session)/state").body != "{\"isWorking\":true}" {}
            try server.dispatch(session, "stopped")
            try lock.hold {
                try blocking.send(Self.request("blocked", session, "", server))
                // The loop stands still in a later turn, or is about to.
                let answer = try settling.receiveAll(timeout: .seconds(30))
                #expect(String(decoding: answer, as: UTF8.self).contains("\"settled\":true"))
            }
            gate.open()
        }
    }

    @Test func `shows nothing to one who has signed out meanwhile`() async throws {
        let (lock, gate) = (TestLock(), Gate())
        let ada = Principal("ada", roles: ["act", "observe"])
        try await TestServer.run(
            changing: { $0.authorize = { _ in .granted(ada) } },
            serving: { Served("/work", WorkApplication(lock: lock, gate: gate)) }
        ) { server in
            let session = "/work/sessions/a"
            try server.create(session)
            let settling = try server.connect()
            try settling.send(
                Self.request(
                    "started", session, "?settle=20", server, ["Prefer": "return=representation"]))
            while try server.send("GET", "\(session)/state").body != "{\"isWorking\":true}" {}
            try await server.sessions.closeStreams(of: "ada")
            let bytes = try settling.receiveAll(timeout: .seconds(30))
            let answer = String(decoding: bytes, as: UTF8.self)
            #expect(answer.contains("\"settled\":false") && !answer.contains("isWorking"))
            gate.open()
        }
    }

    private static func request(
        _ type: String, _ session: String, _ query: String, _ server: TestServer,
        _ fields: [String: String] = [:]
    ) -> [UInt8] {
        server.request(
            "POST", "\(session)/actions\(query)",
            fields.merging(["Content-Type": "application/json"]) { $1 },
            "{\"type\":\"\(type)\"}")
    }
}
