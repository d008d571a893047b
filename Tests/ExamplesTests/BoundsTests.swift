import Benchmark
import BenchmarkModel
import Counter
import CounterModel
@testable import Episodes
@testable import EpisodesModel
import Redux
@testable import Rides
@testable import RidesModel
import StateCoding
import Statecast
import Testing

@testable import ShoppingList
@testable import ShoppingListModel
@testable import StatecastTesting

@Suite struct `What clients send to the examples` {
    private let episodes = ExampleApplications.episodes
    private let rides = ExampleApplications.rides

    @Test func `is one text of a megabyte: refused, or kept out of the state`() throws {
        try sendAll([String(repeating: "x", count: 1_000_000)], growingBy: 16 * 1024)
    }

    @Test func `is any number of small ones: a list has an end`() throws {
        let texts = (10_000..<10_600).map { String(repeating: "\($0)", count: 20) }
        try sendAll(texts, growingBy: 256 * 1024)
    }

    private func sendAll(_ texts: [String], growingBy limit: Int) throws {
        let counter = CounterApplication()
        try send(texts, to: counter, in: [counter.initialState], growingBy: limit)
        let benchmark = BenchmarkApplication()
        try send(texts, to: benchmark, in: [benchmark.initialState], growingBy: limit)
        let shoppingList = ExampleApplications.shoppingList
        try send(texts, to: shoppingList, in: [shoppingList.initialState], growingBy: limit)
        try send(
            texts, to: episodes, in: Array(`The Episodes reducer`.states[..<4]), growingBy: limit)
        try send(texts, to: rides, in: `The Rides reducer`.way, growingBy: limit)
    }

    /// Sends each action of clients that holds texts from each state, again and again with another
    /// text in one place; the other ones are `e1`.
    private func send<App: Application>(
        _ texts: [String], to application: App, in states: [App.State], growingBy limit: Int
    ) throws {
        let maker = try ActionMaker<App.Action>()
        let values = ValueMaker(cases: ShownCases(in: states).lists)
        for type in maker.types where !maker.facts.contains(type) {
            let samples = maker.samples(of: type, besides: [], from: values)
            #expect(!samples.isEmpty, "\(type)")
            for sample in samples {
                let payload = maker.payload(of: sample)?.replacingTexts { _ in "e1" } ?? .null
                let places = payload.changed { if case .text = $0 { [.text("TEXT")] } else { [] } }
                for place in places {
                    let actions = try texts.map { text in
                        let payload = place.replacingTexts { $0 == "TEXT" ? text : $0 }
                        let envelope = JSONTree.object([
                            ("type", .text(type)), ("payload", payload),
                        ])
                        return try maker.coder.decodeLogged(envelope.json.span).action
                    }
                    for state in states {
                        let end = Self.state(after: actions, from: state, of: application)
                        let growth = try Self.size(of: end) - Self.size(of: state)
                        #expect(growth <= limit, "\(type) from \(state)")
                    }
                }
            }
        }
    }

    private static func state<App: Application>(
        after actions: [App.Action], from start: App.State, of application: App
    ) -> App.State {
        var state = start
        let seed = Seed.random()
        for (index, action) in actions.enumerated() {
            var next = state
            let step = Step(
                by: Principal("ada"), at: Timestamp(milliseconds: 0), version: UInt64(index + 1),
                session: .local, epoch: "test", seed: seed)
            // A refusal is one way to have an end.
            if (try? application.reduce(&next, action, step)) != nil { state = next }
        }
        return state
    }

    private static func size(of state: some Encodable) throws -> Int {
        var bytes: [UInt8] = []
        try StateEncoder().encode(state, into: &bytes)
        return bytes.count
    }

    @Test(arguments: [" ", "\u{a0}", "x"])
    func `is a text that is too long before it is looked at`(character: String) throws {
        let application = rides
        let email = String(repeating: character, count: 1_000_000)
        var state = application.initialState
        try application.reduce(&state, .launch(.finished(.value(nil))), .test())
        try application.reduce(&state, .welcome(.signInChosen), .test())
        let rejection = #expect(throws: Rejection.self) {
            try application.reduce(
                &state, .signIn(.submitted(email: email, password: Secret("open"))), .test())
        }
        #expect(rejection?.code == "text-too-long")
    }

    @Test(arguments: [
        "", ".", "..", String(repeating: "x", count: 129), String(repeating: "ä", count: 65),
    ])
    func `is no id: an episode or a person of it is not shown`(id: String) throws {
        let application = episodes
        for screen in [
            ScreenID.episode(id), .profile(userID: id, commentID: nil),
            .profile(userID: "u1", commentID: id),
        ] {
            var state = application.initialState
            let rejection = #expect(throws: Rejection.self) {
                try application.reduce(&state, .screens(.shown(screen)), .test())
            }
            #expect(rejection?.code == "bad-id")
            #expect(rejection?.kind == .invalid)
            #expect(state == application.initialState)
        }
    }

    @Test(arguments: ["e", "...", ".e", "a/b", String(repeating: "ä", count: 64)])
    func `is an id of any letters, up to 128 bytes`(id: String) throws {
        let application = episodes
        var state = application.initialState
        try application.reduce(&state, .screens(.shown(.episode(id))), .test())
        try application.reduce(
            &state, .screens(.shown(.profile(userID: id, commentID: id))), .test())
        #expect(state.screens.count == 2)
    }
}
