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
import StatecastTesting
import Testing

@testable import ShoppingList
@testable import ShoppingListModel

/// An application, the payload of each of its actions, and the ways to where actions have a
/// meaning. `TEXT` in a payload stands for what a client chooses.
private struct Subject<App: Application>: Sendable {
    let application: App
    let payloads: [String: String]
    let stages: [[(type: String, payload: String)]]
    /// What a new session's state holds once it may be used.
    var ready = ""

    /// The types of the actions that hold a text.
    var types: [String] { payloads.filter { $0.value.contains("TEXT") }.keys.sorted() }

    /// All types of actions, and no other ones, have a payload here.
    func check() throws {
        let coder = try ActionCoder<App.Action>()
        #expect(Set(payloads.keys) == Set(coder.knownTypes))
    }

    func payload(_ type: String, _ text: String) -> String? {
        guard let payload = payloads[type], !payload.isEmpty else { return nil }
        return payload.replacing("TEXT", with: text)
    }
}

/// What a state may grow by, whatever a single action holds.
private let growthLimit = 16 * 1024
/// What a state may grow to by actions of one kind.
private let stateLimit = 256 * 1024

@Suite struct `What clients send to the examples` {
    private let large = String(repeating: "x", count: 1_000_000)

    private let counter = Subject(
        application: CounterApplication(),
        payloads: [
            "incremented": #"{"by":1}"#, "decremented": #"{"by":1}"#, "reset": "",
        ],
        stages: [[]])

    private let benchmark = Subject(
        application: BenchmarkApplication(),
        payloads: ["incremented": #"{"by":1}"#, "counted": #"{"item":1}"#],
        stages: [[]])

    private let shoppingList = Subject(
        application: ShoppingApplication(shop: .corner, cards: .inMemory()),
        payloads: [
            "list/added": #"{"name":"TEXT"}"#, "list/bought": #"{"id":"TEXT"}"#,
            "list/removed": #"{"id":"TEXT"}"#, "search/edited": #"{"text":"TEXT"}"#,
            "search/cleared": "", "card/asked": "", "card/scanned": #""TEXT""#,
            "card/putAway": "", "ordered": "",
        ],
        stages: [[], [("list/added", #"{"name":"Milk"}"#)]])

    private var episodes: Subject<EpisodesApplication> {
        let upstream = EpisodesUpstream(
            episodes: { _ in throw CancellationError() },
            episode: { _ in throw CancellationError() },
            comments: { _ in throw CancellationError() },
            post: { _, _ in throw CancellationError() }, user: { _ in throw CancellationError() },
            commentsOfUser: { _ in throw CancellationError() })
        return Subject(
            application: EpisodesApplication(upstream: upstream),
            payloads: [
                "screens/shown": #"{"episode":"TEXT"}"#,
                "screens/dismissed": #"{"profile":{"userID":"TEXT","commentID":"TEXT"}}"#,
                "home/refreshed": "", "home/searchEdited": #"{"text":"TEXT"}"#,
                "home/retried": "", "episode/draftEdited": #"{"id":"e1","text":"TEXT"}"#,
                "episode/commentPosted": #"{"id":"e1","text":"TEXT"}"#,
                "episode/retried": #"{"id":"TEXT"}"#, "comments/retried": #"{"id":"TEXT"}"#,
                "profile/retried": #"{"userID":"TEXT"}"#,
            ],
            stages: [
                [], [("screens/shown", #"{"home":{}}"#)],
                [
                    ("screens/shown", #"{"home":{}}"#), ("screens/shown", #"{"episode":"e1"}"#),
                    ("screens/shown", #"{"profile":{"userID":"u1","commentID":null}}"#),
                ],
            ])
    }

    private func rides() throws -> Subject<RidesApplication> {
        let fields = ["fullName", "nickname", "email", "mobileNumber", "password"]
        let form = "{\(fields.map { "\"\($0)\":\"TEXT\"" }.joined(separator: ","))}"
        let id = #"{"id":"TEXT"}"#
        let signedIn = [
            ("welcome/signInChosen", ""),
            ("signIn/submitted", #"{"email":"rosa@example.com","password":"open-sesame"}"#),
        ]
        let destination = signedIn + [("ride/destinationTapped", "")]
        return Subject(
            application: RidesApplication(upstream: try .answering(), userSessions: .inMemory()),
            payloads: [
                "launch/errorAcknowledged": id, "launch/retried": "", "welcome/signInChosen": "",
                "welcome/signUpChosen": "", "welcome/errorAcknowledged": id,
                "onboarding/wentBack": "",
                "signIn/submitted": #"{"email":"TEXT","password":"TEXT"}"#,
                "signIn/errorAcknowledged": id, "signUp/submitted": form,
                "signUp/errorAcknowledged": id, "profile/opened": "", "profile/closed": "",
                "profile/errorAcknowledged": id, "signedOut": "", "ride/destinationTapped": "",
                "ride/destinationCancelled": "", "ride/confirmed": "", "ride/finished": "",
                "ride/startedAgain": "", "ride/errorAcknowledged": id, "ride/retried": "",
                "dropoff/queryEdited": #"{"text":"TEXT"}"#,
                "dropoff/chosen": #"{"placeID":"TEXT"}"#, "dropoff/errorAcknowledged": id,
                "dropoff/retried": "", "option/chosen": #"{"optionID":"TEXT"}"#,
                "option/errorAcknowledged": id, "option/retried": "",
            ],
            stages: [
                [], [("welcome/signInChosen", "")], [("welcome/signUpChosen", "")], signedIn,
                destination, destination + [("dropoff/chosen", #"{"placeID":"p1"}"#)],
            ], ready: "onboarding")
    }

    @Test func `is one text of a megabyte: refused, or kept out of the state`() async throws {
        try await grow(counter)
        try await grow(benchmark)
        try await grow(shoppingList)
        try await grow(episodes)
        try await grow(try rides())
    }

    @Test func `is any number of small ones: a list has an end`() async throws {
        try repeated(counter)
        try repeated(benchmark)
        try repeated(shoppingList)
        try repeated(episodes)
        try repeated(try rides())
    }

    /// Posts each action that holds a text, with a large one, at each stage.
    private func grow<App>(_ subject: Subject<App>) async throws {
        try subject.check()
        var configuration = TestServer.configuration
        configuration.limits.bodyByteCount = 16 << 20
        configuration.authorize = { _ in .granted(Principal("ada", roles: ["act", "observe"])) }
        try await MemoryServer.run(
            configuration, serving: { Served("/app", subject.application) }
        ) { server in
            for (index, stage) in subject.stages.enumerated() {
                let session = "/app/sessions/\(index)"
                try server.create(session)
                try await Self.wait(for: subject.ready, in: session, on: server)
                for (type, payload) in stage {
                    let answer = try server.dispatch(
                        session, type, payload.isEmpty ? nil : payload, query: "?settle=20")
                    try #require(answer.status == 200, "\(type): \(answer.body)")
                }
                var size = try server.send("GET", "\(session)/state").body.utf8.count
                for type in subject.types {
                    let answer = try server.dispatch(session, type, subject.payload(type, large))
                    #expect([200, 409, 422].contains(answer.status), "\(type) \(answer.status)")
                    let grown = try server.send("GET", "\(session)/state").body.utf8.count
                    #expect(grown <= size + growthLimit, "\(type) at stage \(index)")
                    size = grown
                }
            }
        }
    }

    private static func wait(
        for text: String, in session: String, on server: TestServer
    ) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if try server.send("GET", "\(session)/state").body.contains(text) { return }
            await Task.yield()
        }
        Issue.record("\(session) is never \(text)")
    }

    /// Reduces each action that holds a text 2,000 times, with another text each time, at each
    /// stage.
    private func repeated<App>(_ subject: Subject<App>) throws {
        let coder = try ActionCoder<App.Action>()
        let starts = try subject.stages.map { stage in
            var state = subject.application.initialState
            for (type, payload) in stage {
                reduce(
                    &state, try action(type, payload, coder), subject.application, version: 0)
            }
            return state
        }
        for type in subject.types {
            let actions = try (10_000..<12_000).map { number in
                let text = String(repeating: "\(number)", count: 20)
                return try action(type, subject.payload(type, text), coder)
            }
            for start in starts {
                var state = start
                for (index, action) in actions.enumerated() {
                    reduce(&state, action, subject.application, version: UInt64(index + 1))
                }
                var bytes: [UInt8] = []
                try StateEncoder().encode(state, into: &bytes)
                #expect(bytes.count <= stateLimit, "\(type)")
            }
        }
    }

    private func action<Action: ActionGroup>(
        _ type: String, _ payload: String?, _ coder: ActionCoder<Action>
    ) throws -> Action {
        let part = payload.flatMap { $0.isEmpty ? nil : ",\"payload\":\($0)" } ?? ""
        return try coder.decode(Array("{\"type\":\"\(type)\"\(part)}".utf8).span).action
    }

    private func reduce<App: Application>(
        _ state: inout App.State, _ action: App.Action, _ application: App, version: UInt64
    ) {
        var changed = state
        do throws(Rejection) {
            try application.reduce(&changed, action, .test(by: Principal("ada"), version: version))
            state = changed
        } catch {
            // A refusal is one way to have an end.
        }
    }

    @Test(arguments: [" ", "\u{a0}", "x"])
    func `is a text that is too long before it is looked at`(character: String) throws {
        let application = try rides().application
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
        let application = episodes.application
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
        let application = episodes.application
        var state = application.initialState
        try application.reduce(&state, .screens(.shown(.episode(id))), .test())
        try application.reduce(
            &state, .screens(.shown(.profile(userID: id, commentID: id))), .test())
        #expect(state.screens.count == 2)
    }
}
