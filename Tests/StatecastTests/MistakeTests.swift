import Foundation
import StatecastTesting
import Testing

@testable import Statecast

/// An application that does nothing, with the actions and views that a test gives it.
private struct IdleApplication<Action: ActionGroup>: Application {
    struct State: StateValue { var count = 0 }

    let initialState = State()
    var views = Views<State>.all

    init(_ type: Action.Type, views: Views<State> = .all) {
        self.views = views
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) { state.count += 1 }

    @WorkBuilder<Action> func work(in state: State) -> [Work<Action>] {}
}

private enum Pressed: ActionGroup { case pressed }

/// Actions of which one cannot be written: `reset` is missing among the keys.
private enum LeftOut: ActionGroup {
    case added, reset

    enum CodingKeys: CodingKey { case added }
}

private enum HalfLabelled: ActionGroup { case moved(Int, to: Int) }

private enum PostedFact: ActionGroup {
    case pressed, told(Told)

    enum Told: FactGroup { case by(Pressed) }
}

private enum OneLabelTwice: ActionGroup {
    case row(id: String, Row)

    enum Row: ActionGroup { case linked(id: String) }
}

private enum ToldTwice: ActionGroup { case pressed, first(SessionFact), second(SessionFact) }

/// An application that does nothing to a state that holds something of the test's.
private struct HoldingApplication<Part: StateValue>: Application {
    struct State: StateValue { var parts: [String: Part?] = [:] }

    let initialState = State()
    let views = Views<State>.all

    init(_ type: Part.Type) {}

    func reduce(_ state: inout State, _ action: Pressed, _ step: Step) {}

    func work(in state: State) -> [Work<Pressed>] {}
}

private struct Order: StateValue {
    enum Stage: StateValue { case open, sent(Int, to: String) }

    var stage = Stage.open
}

/// Can be read, and not be written.
private struct Card: Decodable, Equatable {}

private struct Wallet: StateValue { var card: Secret<Card>? }

/// Mixed labels, for which it has a form of its own.
private enum Written: StateValue {
    case at(Int, of: Int)

    init(from decoder: any Decoder) throws {
        let count = try decoder.singleValueContainer().decode(Int.self)
        self = .at(count, of: count)
    }

    func encode(to encoder: any Encoder) throws {
        guard case .at(let place, _) = self else { return }
        var container = encoder.singleValueContainer()
        try container.encode(place)
    }
}

/// A mistake that a server refuses to start with, and the sentence that says what to write.
private struct StartMistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sentence: String
    var configuration = TestServer.configuration
    var parts: [Served] = [Served("/idle", IdleApplication(Pressed.self))]

    init(
        _ name: String, _ sentence: String, configuration: ServerConfiguration? = nil,
        _ parts: Served...
    ) {
        testDescription = name
        self.sentence = sentence
        if let configuration { self.configuration = configuration }
        if !parts.isEmpty { self.parts = parts }
    }

    static let all = [
        StartMistake(
            "a case left out of CodingKeys",
            """
            /idle: The case reset cannot be encoded: write it into its enum's CodingKeys, or leave \
            the CodingKeys out; a raw value must be a String.
            """, Served("/idle", IdleApplication(LeftOut.self))),
        StartMistake(
            "two views of one name",
            "/idle: Two views are called \"count\": rename one of them.",
            Served(
                "/idle",
                IdleApplication(
                    Pressed.self,
                    views: Views(state: .all, View("count", \.count), View("count") { _ in 0 })))),
        StartMistake(
            "a label beside none",
            "/idle: The case moved has labelled and unlabelled values: label all of them, or none.",
            Served("/idle", IdleApplication(HalfLabelled.self))),
        StartMistake(
            "a fact that clients could post",
            """
            /idle: The case told/by is a fact and carries an ActionGroup that clients could post: \
            make that a FactGroup, or move the case out of the facts.
            """, Served("/idle", IdleApplication(PostedFact.self))),
        StartMistake(
            "a label of a parent and its child",
            """
            /idle: The label id of row/linked is also one of a case before it, and both stand in \
            one payload: rename one of them.
            """, Served("/idle", IdleApplication(OneLabelTwice.self))),
        StartMistake(
            "facts about the session in two cases",
            """
            /idle: SessionFact stands in first and in second, and would be told twice: keep one of \
            these cases.
            """, Served("/idle", IdleApplication(ToldTwice.self))),
        StartMistake(
            "a state's case with a label beside none",
            """
            /idle: The case sent of Stage has labelled and unlabelled values, and no JSON: label all \
            of them, or none.
            """, Served("/idle", HoldingApplication(Order.self))),
        StartMistake(
            "a secret that cannot be kept",
            "/idle: A Secret<Card> cannot be kept: make Card Codable.",
            Served("/idle", HoldingApplication(Wallet.self))),
        StartMistake(
            "two applications at one path",
            "/idle: a mount is a path such as /counter, each used once, or / alone.",
            Served("/idle", IdleApplication(Pressed.self)),
            Served("/idle", IdleApplication(Pressed.self))),
        StartMistake(
            "a path to hide that the state has not",
            "/idle: The state has no \"orders.card\", which the log is to hide.",
            Served(
                "/idle", IdleApplication(Pressed.self), options: .init(hiding: ["orders.card"]))),
        StartMistake(
            "a policy of two lines",
            "contentSecurityPolicy is directives in one line of visible ASCII characters.",
            configuration: showing("default-src 'self';\r\nSet-Cookie: a=b")),
        StartMistake(
            "pictures that the policy has no place for",
            """
            imageSources are places such as https://images.example, and need an img-src in \
            contentSecurityPolicy.
            """, configuration: showing("default-src 'self'", ["https://images.example"])),
        StartMistake(
            "a picture's place with a directive behind it",
            """
            imageSources are places such as https://images.example, and need an img-src in \
            contentSecurityPolicy.
            """, configuration: showing("img-src 'self'", ["x; script-src *"])),
        StartMistake(
            "an origin that no browser says",
            "https://app.example/: an origin ends with its host or port: no path, no user.",
            configuration: sharing("https://app.example/")),
    ]

    private static func showing(
        _ policy: String, _ images: [String] = []
    ) -> ServerConfiguration {
        var configuration = TestServer.configuration
        (configuration.contentSecurityPolicy, configuration.imageSources) = (policy, images)
        return configuration
    }

    private static func sharing(_ origin: String) -> ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.cors = CORS(origins: [origin])
        return configuration
    }
}

@Suite(.onBothJournals) struct `A server that is to start` {
    @Test(arguments: StartMistake.all)
    fileprivate func `refuses a mistake by a sentence that says what to write`(
        mistake: StartMistake
    ) throws {
        let error = #expect(throws: ServerError.self) {
            _ = try Server(mistake.configuration) { for part in mistake.parts { part } }
        }
        #expect(error?.description == mistake.sentence)
    }

    @Test func `ends its process by one sentence, as the whole of a program`() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(78), observing: [\.standardErrorContent]
        ) {
            await Server.main { Served("idle", IdleApplication(Pressed.self)) }
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                == "Error: idle: a mount is a path such as /counter, each used once, or / alone.\n")
    }

    @Test func `says what its configuration throws, as the whole of a program`() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(78), observing: [\.standardErrorContent]
        ) {
            func configuration() throws -> ServerConfiguration { throw Rejection("no", "No room.") }
            await Server.main(try configuration()) {
                Served("/idle", HoldingApplication(Written.self))
            }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.hasPrefix("Error: ") && text.contains("No room.") && text.hasSuffix("\n"))
        #expect(text.split(separator: "\n").count == 1)
    }

    @Test func `stops in order when its process is told to, as the whole of a program`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            // Once the signal is looked for, it comes.
            Thread.detachNewThread {
                var action = sigaction()
                repeat {
                    sched_yield()
                    unsafe sigaction(SIGTERM, nil, &action)
                } while unsafe action.__sigaction_handler.sa_handler == nil
                kill(getpid(), SIGTERM)
            }
            await Server.main(TestServer.configuration) {
                Served("/idle", HoldingApplication(Written.self))
            }
            exit(3)
        }
    }

    @Test func `takes what has a form of its own, and says that a port is taken`() async throws {
        try await TestServer.run(serving: { Served("/idle", HoldingApplication(Written.self)) }) {
            var configuration = TestServer.configuration
            configuration.port = $0.port
            let error = #expect(throws: ServerError.self) {
                try Server(configuration) {}.start()
            }
            #expect(
                error?.description == "The server cannot listen on 127.0.0.1:\($0.port): "
                    + "another process has the port.")
        }
    }

    @Test func `says to who runs it behind start that it was started`() async throws {
        let server = try Server(TestServer.configuration) {}
        try server.start()
        let error = await #expect(throws: ServerError.self) { try await server.run() }
        await server.shutDown()
        #expect(
            error?.description == "The server was started before: run() starts it by itself, and "
                + "start() is for code that calls shutDown().")
    }
}

@Suite struct `Mistakes that a test store finds` {
    private struct Pair: Application {
        struct State: StateValue { var isAsking = false }
        enum Action: ActionGroup { case asked, answered(Answer<Int>) }

        let initialState = State()
        let views = Views<State>.all

        func reduce(_ state: inout State, _ action: Action, _ step: Step) {
            if case .asked = action { state.isAsking = true } else { state.isAsking = false }
        }

        func work(in state: State) -> [Work<Action>] {
            if state.isAsking {
                Work("ask", for: 1, { $0 }) { .answered($0) }
                Work("ask", for: 2, { $0 }) { .answered($0) }
            }
        }
    }

    @Test func `two works of one name`() {
        let store = TestStore(Pair())
        store.send(.asked) { $0.isAsking = true }
        store.receive(.answered(.value(1))) { $0.isAsking = false }
        withKnownIssue {
            store.finish()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("namedTwice(name: \"ask\")") }
        }
    }

    /// Nothing asks whether the application has facts.
    @Test func `effects are asked for where there are no facts, too`() {
        let mail = Middleware<IdleApplication<Pressed>.State, Pressed>(
            "mail",
            effectsAfter: { step in
                step.new.count == 1 ? [.send(.pressed)] : []
            })
        let store = TestStore(IdleApplication(Pressed.self), middleware: [mail])
        store.send(.pressed) { $0.count = 1 }
        store.receive(.pressed) { $0.count = 2 }
    }
}
