import Statecast
import StatecastTesting
import Testing

/// A switch, with the views that a test gives it.
struct SwitchApplication: PlainApplication {
    struct State: StateValue { var isOn = false }
    enum Action: ActionGroup { case toggled }

    let initialState = State()
    let views: Views<State>

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        state.isOn.toggle()
    }
}

@Suite(.onBothJournals) struct `The views of an application` {
    private static let on = View<SwitchApplication.State>("on") { $0.isOn }

    @Test(arguments: [
        (Views(state: .all, on, on), "Two views are called \"on\": rename one of them."),
        (Views(state: .all, on, .all), "write View(\"name\") { … }."),
        (Views(state: on), "here is called \"on\": leave the name out"),
    ])
    func `are refused where a name is taken twice, missing or idle`(
        views: Views<SwitchApplication.State>, text: String
    ) throws {
        let error = #expect(throws: ServerError.self) {
            _ = try Server(TestServer.configuration) {
                Served("/switch", SwitchApplication(views: views))
            }
        }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("/switch: ") && description.contains(text))
        withKnownIssue {
            let store = TestStore(SwitchApplication(views: views))
            store.finish()
        }
    }

    @Test func `show nothing where they are nil, and the outcome of an action alone`() async throws
    {
        let views = Views(state: .nothing, Self.on)
        try await Demo.serve(Served("/switch", SwitchApplication(views: views))) { demo in
            let state = try demo.get("/state")
            #expect(state.status == 404 && state.problem == "out-of-scope")
            #expect(try demo.get("/state?select=/isOn").status == 404)
            #expect(try demo.events().next()?.name == "out-of-scope")
            let held = try demo.open("/state?wait=20", fields: ["If-None-Match": "\"k3f9-0\""])
            #expect(try held.answer().status == 404)
            let wish = ["Prefer": "return=representation"]
            let answer = try demo.dispatch("toggled", fields: wish)
            #expect(answer.status == 200 && answer.body.contains(#""version":1"#))
            #expect(answer.fields["preference-applied"] == nil)
            #expect(try demo.get("/state?view=on").body == "true")
        }
    }

    @Test func `are computed as a server would by a test store`() throws {
        let views = Views<SwitchApplication.State>(
            state: .nothing, Self.on, View("who") { state, viewer in viewer.name },
            View("argument", by: { $1.arguments["a"] }) { state, text in text })
        let store = TestStore(SwitchApplication(views: views))
        let alice = Principal("alice")
        #expect(try store.seen(by: alice, as: SwitchApplication.State.self) == nil)
        #expect(try store.seen(by: alice, as: Bool.self, view: "on") == false)
        #expect(try store.seen(by: alice, as: String.self, view: "who") == "alice")
        #expect(
            try store.seen(by: alice, as: String.self, view: "argument", arguments: ["a": "b"])
                == "b")
        #expect(try store.seen(by: alice, as: String.self, view: "argument") == nil)
        #expect(throws: TestFailure.self) {
            try store.seen(by: alice, as: String.self, view: "off")
        }
        store.send(.toggled) { $0.isOn = true }
        #expect(try store.seen(by: alice, as: Bool.self, view: "on") == true)
        let plain = TestStore(SwitchApplication(views: .all))
        #expect(try plain.seen(by: alice, as: SwitchApplication.State.self)?.isOn == false)
    }
}

@Suite(.onBothJournals) struct `The description of a session` {
    private let load = "{\"type\":\"loadRequested\",\"payload\":{\"count\":1}}"

    @Test(arguments: [("root", true), ("alice", false)])
    func `names what runs to those who inspect`(name: String, isNamed: Bool) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = { request in
            request.authorization == "root"
                ? .granted(Principal("root", roles: ["act", "inspect", "observe"]))
                : .granted(Principal("alice", roles: ["act", "observe"]))
        }
        let gate = Gate()
        try await TestServer.run(
            configuration, serving: { NotesApplication(gate: gate).served(at: "/notes") }
        ) { server in
            let session = "/notes/sessions/demo"
            try server.create(session)
            try server.post(session, load)
            let answer = try server.send("GET", session, fields: ["Authorization": name])
            #expect(answer.body.contains(#""inFlight":1"#))
            #expect(answer.body.contains(#""name":"load""#) == isNamed)
            #expect(
                answer.body.hasSuffix(
                    isNamed
                        ? #""you":{"id":"root","roles":["act","inspect","observe"]}}"#
                        : #""you":{"id":"alice","roles":["act","observe"]}}"#))
            gate.open()
        }
    }
}
