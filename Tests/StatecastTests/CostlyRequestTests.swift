import Sockets
import Testing

@testable import Statecast
@testable import StatecastTesting

/// Notes whom it lets through, and holds the loop as soon as they are more than it was told.
private final class Door: Sendable {
    private let state = Monitor((shown: [String](), limit: 0))

    var shown: [String] { state.withLock { $0.shown } }

    func pass(_ name: String) {
        let number = state.withLock { state in
            state.shown.append(name)
            return state.shown.count
        }
        state.wakeAll()
        state.wait { $0.limit >= number ? () : nil }
    }

    func open(for count: Int) {
        state.withLock { $0.limit = count }
        state.wakeAll()
    }

    func reaches(_ count: Int) {
        state.wait { $0.shown.count >= count ? () : nil }
    }
}

private struct DoorApplication: PlainApplication {
    struct State: StateValue { var count = 0 }
    enum Action: ActionGroup { case counted }

    let door: Door
    let initialState = State()
    var views: Views<State> {
        let door = door
        return Views(
            state: .all,
            View("door", by: { $1.arguments["n"] ?? "" }) { state, name in
                door.pass(name)
                return state.count
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.count += 1
    }
}

@Suite(.onBothJournals) struct `Requests that take milliseconds` {
    private static let session = "/door/sessions/a"
    private static let lastVersion = 3

    private func run(
        waiterCount: Int = 2_000,
        _ body: @Sendable (TestServer, Door) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        // All that has come is delivered in one turn.
        configuration.limits.turnDuration = .seconds(600)
        configuration.sessionLimits.waiterCount = waiterCount
        configuration.authorize = {
            .granted(Principal($0.authorization ?? "ann", roles: ["act", "observe"]))
        }
        let door = Door()
        try await TestServer.run(
            configuration,
            serving: {
                Served(
                    "/door", DoorApplication(door: door),
                    options: SessionOptions(history: .always))
            }
        ) { server in
            defer { door.open(for: .max) }
            try server.create(Self.session)
            try server.create("/door/sessions/b")
            for _ in 0..<Self.lastVersion { try server.dispatch(Self.session, "counted") }
            try await body(server, door)
        }
    }

    /// Connections that the server has accepted.
    private func connections(
        _ count: Int, to server: TestServer
    ) throws -> [BlockingConnection] {
        try (0..<count).map { _ in
            let connection = try server.connect()
            try connection.send("HEAD /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try connection.receive(until: { $0.suffix(4).elementsEqual("\r\n\r\n".utf8) })
            return connection
        }
    }

    /// Asks for a state of before, which is shown by the door.
    private func ask(
        _ name: String, by client: String = "ann", over connection: BlockingConnection,
        _ server: TestServer
    ) throws {
        let target = Self.session + "/state?version=1&view=door&n=\(name)"
        try connection.send(server.request("GET", target, ["Authorization": client], nil))
    }

    @Test func `go on one in a turn, behind what others ask for`() async throws {
        try await run { server, door in
            // Another journal reads no more than 16 at once for a client.
            let count = TestJournal.make == nil ? 300 : 16
            let (all, other) = (try connections(count, to: server), try connections(1, to: server))
            try ask("0", over: all[0], server)
            door.reaches(1)
            for index in 1..<count {
                try ask("\(index)", over: all[index], server)
                guard index == count / 2 else { continue }
                try other[0].send(server.request("GET", "/door/sessions/b/state", [:], nil))
            }
            door.open(for: 1)
            // The door holds the loop in the next one of them.
            #expect(RawAnswer(try other[0].receiveAll()).body == #"{"count":0}"#)
            door.open(for: .max)
            for connection in all { #expect(RawAnswer(try connection.receiveAll()).body == "1") }
            #expect(Set(door.shown).count == count)
        }
    }

    @Test func `of one client do not go before another's`() async throws {
        try await run { server, door in
            let all = try connections(12, to: server)
            try ask("0", over: all[0], server)
            door.reaches(1)
            for index in 1..<10 { try ask("\(index)", over: all[index], server) }
            for index in 10..<12 { try ask("\(index)", by: "bob", over: all[index], server) }
            door.open(for: .max)
            for connection in all { #expect(RawAnswer(try connection.receiveAll()).status == 200) }
            for name in ["10", "11"] {
                #expect(try #require(door.shown.firstIndex(of: name)) <= 4, "\(door.shown)")
            }
        }
    }

    @Test func `are not done for a client that has gone`() async throws {
        // Another journal is asked at once for all of them.
        guard TestJournal.make == nil else { return }
        try await run { server, door in
            let all = try connections(6, to: server)
            try ask("0", over: all[0], server)
            door.reaches(1)
            for index in 1..<6 { try ask("\(index)", over: all[index], server) }
            door.open(for: 1)
            door.reaches(2)
            for connection in all[2..<5] { try connection.shutdownWrite() }
            door.open(for: .max)
            #expect(RawAnswer(try all[5].receiveAll()).status == 200)
            for connection in all[2..<5] { #expect(try connection.receiveAll().isEmpty) }
            #expect(door.shown == ["0", "1", "5"])
        }
    }

    @Test func `are judged when their turn has come`() async throws {
        // Another journal tells later that it has kept the action.
        guard TestJournal.make == nil else { return }
        try await run { server, door in
            let all = try connections(4, to: server)
            try ask("0", over: all[0], server)
            door.reaches(1)
            try ask("1", over: all[1], server)
            let next = Self.lastVersion + 1
            let target = Self.session + "/state?version=\(next)"
            try all[2].send(server.request("GET", target, [:], nil))
            door.open(for: 1)
            door.reaches(2)
            let actions = Self.session + "/actions"
            try all[3].send(
                server.request(
                    "POST", actions, ["Content-Type": "application/json"],
                    #"{"type":"counted"}"#))
            door.open(for: .max)
            #expect(RawAnswer(try all[3].receiveAll()).status == 200)
            #expect(RawAnswer(try all[2].receiveAll()).body == "{\"count\":\(next)}")
        }
    }

    @Test func `are no more of a client than its share of those that may wait`() async throws {
        // Of 20 a quarter is less than each may have, 16.
        try await run(waiterCount: 20) { server, door in
            let all = try connections(21, to: server)
            try ask("0", over: all[0], server)
            door.reaches(1)
            for index in 1..<21 { try ask("\(index)", over: all[index], server) }
            door.open(for: .max)
            let answers = try all.map { RawAnswer(try $0.receiveAll()) }
            #expect(answers.count { $0.status == 200 } == 17)
            #expect(answers.count { $0.body.contains("too-many-waiting") } == 4)
        }
    }
}
