import Statecast
import StatecastTesting
import Testing

/// A card table with hidden hands.
struct HiddenHands: Application {
    struct State: StateValue {
        var players: [String] = []
        var hands: [String: [Int]] = [:]
        var pile: [Int] = []
    }

    struct Seen: Codable {
        var hand: [Int]
        var counts: [String: Int]
        var pile: [Int]
    }

    enum Action: ActionGroup { case sat, played(card: Int) }

    let initialState = State()

    var views: Views<State> {
        Views(
            state: View(by: { state, viewer in state.players.first { $0 == viewer.id } }) {
                state, player in
                Seen(
                    hand: player.flatMap { state.hands[$0] } ?? [],
                    counts: state.hands.mapValues(\.count), pile: state.pile)
            },
            View("pile", of: { $0.pile }) { pile in pile })
    }

    func reduce(
        _ state: inout State, _ action: Action, _ step: Step
    ) throws(Rejection) {
        let player = try step.signedIn().id
        switch action {
        case .sat:
            guard !state.players.contains(player) else { throw Rejection("seated", "You are.") }
            state.players.append(player)
            let first = state.players.count * 10
            state.hands[player] = [first + 1, first + 2]
        case .played(let card):
            guard let index = state.hands[player]?.firstIndex(of: card) else {
                throw Rejection("not-your-card", "Whose?", field: "card")
            }
            state.hands[player]?.remove(at: index)
            state.pile.append(card)
        }
    }

    func work(in state: State) -> [Work<Action>] {}
}

@Suite struct `Who sees what` {
    private let alice = Principal("alice")
    private let bob = Principal("bob")

    private var configuration: ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            switch request.authorization {
            case "Bearer a": .granted(Principal("alice", roles: ["act", "observe"]))
            case "Bearer b": .granted(Principal("bob", roles: ["act", "observe"]))
            case "Bearer root": .granted(Principal("root", roles: ["act", "inspect", "observe"]))
            default: .unauthenticated
            }
        }
        return configuration
    }

    @Test func `is said by the views, to every outlet`() async throws {
        let table = "/cards/sessions/table"
        let (alice, bob) = (["Authorization": "Bearer a"], ["Authorization": "Bearer b"])
        try await TestServer.run(
            configuration, serving: { Served("/cards", HiddenHands()) }
        ) { server in
            try server.create(table, fields: alice)
            try server.dispatch(table, "sat", fields: alice)
            let own = try server.send("GET", "\(table)/state", fields: alice)
            #expect(own.body == #"{"hand":[11,12],"counts":{"alice":2},"pile":[]}"#)
            let others = try server.send("GET", "\(table)/state", fields: bob)
            #expect(others.body == #"{"hand":[],"counts":{"alice":2},"pile":[]}"#)
            let card = try server.send("GET", "\(table)/state?select=/hand/0", fields: alice)
            #expect(card.body == "11")

            let stream = try server.events(table, fields: bob)
            #expect(try stream.next()?.data == others.body)
            try server.dispatch(table, "sat", fields: bob)
            #expect(try stream.next()?.data.hasPrefix(#"{"hand":[21,22]"#) == true)
        }
    }

    @Test func `is told by the test store`() throws {
        let store = TestStore(HiddenHands(), as: alice, exhaustivity: .nonExhaustive)
        store.send(.sat)
        #expect(try store.seen(by: alice, as: HiddenHands.Seen.self)?.hand == [11, 12])
        #expect(try store.seen(by: bob, as: HiddenHands.Seen.self)?.hand == [])
        store.send(.played(card: 11))
        #expect(try store.seen(by: bob, as: [Int].self, view: "pile") == [11])
    }

    @Test func `is shown to a client of the application's own types`() async throws {
        try await TestServer.run(
            configuration, serving: { Served("/cards", HiddenHands()) }
        ) { server in
            let fields = ["Authorization": "Bearer b"]
            let session = try server.session(of: HiddenHands.self, at: "/cards", fields: fields)
            let watcher = try session.watch(as: HiddenHands.Seen.self, fields: fields)
            try session.send(.sat, fields: fields)
            #expect(try watcher.first { !$0.hand.isEmpty }.hand == [11, 12])
            #expect(try session.state(as: HiddenHands.Seen.self, fields: fields).pile == [])
        }
    }

    @Test func `begins with who asks`() async throws {
        try await TestServer.run(
            configuration, serving: { Served("/cards", HiddenHands()) }
        ) { server in
            let root = ["Authorization": "Bearer root"]
            let made = try server.create("/cards/sessions/table", fields: root)
            #expect(
                made.body.hasSuffix(#""you":{"id":"root","roles":["act","inspect","observe"]}}"#))
            #expect(made.body.contains(#""inFlight":0,"work":[],"effects":[],"#))
            let bob = ["Authorization": "Bearer b"]
            let asked = try server.send("GET", "/cards/sessions/table", fields: bob)
            #expect(asked.body.hasSuffix(#""you":{"id":"bob","roles":["act","observe"]}}"#))
            #expect(!asked.body.contains("effects"))
        }
    }
}
