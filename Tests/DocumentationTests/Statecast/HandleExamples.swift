import Statecast
import StatecastTesting
import Testing

/// A room that people enter and talk in; the lobby and webhooks reach it by handles.
struct Room: Application {
    struct Rules: Codable, Sendable { var seats: Int }

    struct State: StateValue {
        var seats = 8
        var present: Set<String> = []
        var lines: [String] = []
    }

    enum Action: ActionGroup {
        case said(text: String)
        case session(SessionFact)
    }

    let initialState = State()
    let views = Views<State>.all

    func start(_ state: inout State, with rules: Rules?, _ step: Step) throws(Rejection) {
        state.seats = rules?.seats ?? state.seats
        guard (2...20).contains(state.seats) else {
            throw Rejection("seats", "Two to twenty.", field: "seats")
        }
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .said(let text):
            let name = step.by.map { $0.id ?? "guest" } ?? "server"
            state.lines.append("\(name): \(text)")
        case .session(.restored): state.present = []
        case .session(.watchersChanged(let came, let left)):
            state.present.formUnion(came.compactMap(\.id))
            state.present.subtract(left.compactMap(\.id))
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

/// Its work names its session.
private struct Doorbell: Application {
    struct State: StateValue { var rung = "" }
    enum Action: ActionGroup { case rang(Answer<String>), pressed }

    let initialState = State(), views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        if case .rang(let answer) = action { state.rung = answer.value ?? "-" }
    }

    func work(in state: State) -> [Work<Action>] {
        Work.group("bell", of: state.rung) { rung, session in
            if rung.isEmpty { Work("ring", for: "\(session)", { $0 }) { .rang($0) } }
        }
    }
}

@Suite struct `A session's input and handles` {
    private let room = "/room/sessions/7"

    private struct Mail: Codable { var id, room, subject: String }

    private func serving(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run(
            serving: {
                Served("/room", Room(), options: .init(history: .always))
                Route(.post, "/hooks/mail") { request in
                    let mail: Mail = try request.decode()
                    let room = try request.sessions.session(mail.room, of: Room.self)
                    try await room.dispatch(.said(text: mail.subject), key: mail.id)
                    return RouteResponse(.noContent)
                }
            }, body: body)
    }

    @Test func `begin with what PUT says`() async throws {
        try await serving { server in
            let made = try server.create(room, input: #"{"seats":4}"#)
            #expect(made.status == 201)
            let refused = try server.create("/room/sessions/8", input: #"{"seats":1}"#)
            #expect(refused.status == 422)
            #expect(refused.body.contains(#""errors":[{"pointer":"/seats","code":"seats","#))
            #expect(try server.send("GET", "/room/sessions/8").status == 404)
        }
    }

    @Test func `begin by POST or by a handle, for a client of the application's types`()
        async throws
    {
        try await serving { server in
            let mine = try server.session(
                of: Room.self, at: "/room", named: nil, input: .init(seats: 4))
            #expect(try mine.state().seats == 4)
            let theirs = try await server.sessions.create(
                "7", of: Room.self, input: .init(seats: 2))
            try server.session(theirs).send(.said(text: "Hi"))
            #expect(try await theirs.state.lines == ["guest: Hi"])

            let recording = try server.session(theirs).recording(of: Room())
            #expect(recording.entries.map(\.action) == [.said(text: "Hi")])
            recording.check(session: theirs.id)
        }
    }

    @Test func `have work that names its session, as on a server`() async throws {
        let store = TestStore(Doorbell(), session: SessionID("front"))
        store.receive(.rang(.value("front"))) { $0.rung = "front" }
        try await TestServer.run(serving: { Served("/bell", Doorbell()) }) { server in
            let session = try server.session(of: Doorbell.self, at: "/bell", named: "back")
            #expect(try session.watch().first { !$0.rung.isEmpty }.rung == "back")
        }
    }

    @Test func `begin in a test, too`() {
        let store = TestStore(Room(), input: .init(seats: 4))
        #expect(store.state.seats == 4)
        let (alice, bob) = (Principal("alice"), Principal("bob"))
        store.report(.session(.watchersChanged(came: [alice, bob], left: []))) {
            $0.present = ["alice", "bob"]
        }
        store.report(.session(.watchersChanged(came: [], left: [bob]))) { $0.present = ["alice"] }
    }

    @Test func `reach a session from a route, once`() async throws {
        try await serving { server in
            try server.create(room)
            let mail = #"{"id":"m1","room":"7","subject":"Hello"}"#
            for _ in 0..<2 {
                let answer = try server.send(
                    "POST", "/hooks/mail", fields: ["Content-Type": "application/json"], body: mail)
                #expect(answer.status == 204)
            }
            let state = try await server.sessions.session("7", of: Room.self).state
            #expect(state.lines == ["server: Hello"])
        }
    }

    @Test func `dispatch, read, observe and end`() async throws {
        try await serving { server in
            let sessions = server.sessions
            let room = try await sessions.create("7", of: Room.self, input: .init(seats: 4))
            try await room.dispatch(.said(text: "Hi"), as: Principal("alice"))
            #expect(try await room.state.lines == ["alice: Hi"])

            var counts = room.values(of: \.lines.count).makeAsyncIterator()
            #expect(try await counts.next() == 1)
            try await room.dispatch(.said(text: "One"), .said(text: "two"))
            #expect(try await counts.next() == 3)

            try await room.end()
            await #expect(throws: SessionError.ended) { _ = try await room.state }
        }
    }
}
