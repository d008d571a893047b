import Statecast
import StatecastTesting
import Testing

/// A room that tells the list of rooms how much was said in it.
private struct ListedRoom: Application {
    struct State: StateValue { var lines: [String] = [] }
    enum Action: ActionGroup { case said(text: String) }

    let initialState = State(), views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        if case .said(let text) = action { state.lines.append(text) }
    }

    func work(in state: State) -> [Work<Action>] {
        Work.subscription("tell", for: state.lines.count, policy: .finishing.retrying(5)) {
            count, context in
            let list = try context.sessions.session("rooms", of: RoomList.self)
            try await list.dispatch(.told(room: "\(context.session)", lines: count))
        }
    }
}

/// All rooms, as each of them tells. What was not heard of for a month has ended.
private struct RoomList: Application {
    struct Room: StateValue { let lines: Int, ends: Timestamp }
    struct State: StateValue { var rooms: [String: Room] = [:] }
    enum Action: FactGroup { case told(room: String, lines: Int), wentQuiet }

    let initialState = State(), views = Views<State>.all

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .told(let room, let lines):
            guard state.rooms[room] != nil || state.rooms.count < 1_000 else { return }
            state.rooms[room] = Room(lines: lines, ends: step.at + .seconds(30 * 86_400))
        case .wentQuiet:
            state.rooms = state.rooms.filter { $0.value.ends > step.at }
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let next = state.rooms.values.map(\.ends).min() {
            Work.alarm("quiet", at: next, send: .wentQuiet)
        }
    }
}

@Suite struct `A list of sessions` {
    @Test func `is what each of them tells`() async throws {
        try await TestServer.run(serving: {
            Served("/rooms", ListedRoom())
            Served("/list", RoomList(), maker: "nobody")
        }) { server in
            let list = try await server.sessions.create("rooms", of: RoomList.self)
            let rooms = try ["a", "b"].map {
                try server.session(of: ListedRoom.self, at: "/rooms", named: $0)
            }
            try rooms[1].send(.said(text: "Hi"))
            for try await lines in list.values(of: { $0.rooms.values.map(\.lines).sorted() })
            where lines == [0, 1] { break }
            let told = try server.post(
                "/list/sessions/rooms", #"{"type":"told","payload":{"room":"c","lines":7}}"#)
            #expect(told.status == 422)
        }
    }

    @Test func `leaves out what was not heard of for a month`() {
        let store = TestStore(RoomList(), exhaustivity: .nonExhaustive)
        store.report(.told(room: "a", lines: 1))
        store.advance(by: .seconds(86_400))
        store.report(.told(room: "b", lines: 1))
        store.advance(by: .seconds(29 * 86_400))
        store.receive(.wentQuiet) { #expect($0.rooms.keys.sorted() == ["b"]) }
    }
}
