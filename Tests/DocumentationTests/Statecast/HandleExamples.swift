import Statecast
import StatecastTesting
import Testing

/// A room that people enter and talk in; the lobby and webhooks reach it by handles.
struct Room: Application {
    struct Rules: Codable, Sendable { var seats: Int }

    struct State: StateValue {
        var seats = 8
        var present: [String] = []
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
        case .said(let text): state.lines.append("\(step.by?.id ?? "server"): \(text)")
        case .session(.restored): state.present = []
        case .session(.watcherCame(let person)): state.present.append(person.id)
        case .session(.watcherLeft(let person)): state.present.removeAll { $0 == person.id }
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `A session's input and handles` {
    private let room = "/room/sessions/7"

    private struct Mail: Codable { var id, room, subject: String }

    private func serving(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run(
            serving: {
                Served("/room", Room())
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

    @Test func `begin in a test, too`() {
        let store = TestStore(Room(), input: .init(seats: 4))
        #expect(store.state.seats == 4)
        store.report(.session(.watcherCame(Principal("alice")))) { $0.present = ["alice"] }
        store.report(.session(.watcherLeft(Principal("alice")))) { $0.present = [] }
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
