import Foundation
import Redux
import Synchronization
import Testing

private let hidden = "sesame-4711"

private struct Login: Sendable, Equatable, Codable {
    var name = "ada"
    var password = Secret(hidden)
    var older: [Secret<String>] = [Secret(hidden)]
    var byPlace: [String: Secret<String>] = ["home": Secret(hidden)]
    var perhaps: Secret<String>? = Secret(hidden)
    var pair = Pair()

    struct Pair: Sendable, Hashable, Codable {
        var token = Secret(Token())
    }

    struct Token: Sendable, Hashable, Codable {
        var text = hidden
    }
}

private enum LoginAction: Sendable {
    case entered(Secret<String>)
    case failed(Login)
    case guessed
}

private struct LoginError: Error {
    var login = Login()
}

/// What an outlet shows.
private struct Outlet: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var show: @Sendable () throws -> String

    init(_ name: String, _ show: @escaping @Sendable () throws -> String) {
        testDescription = name
        self.show = show
    }
}

private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}

/// All that a mirror leads to.
private func mirrored(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { "\($0.label ?? "") \(mirrored($0.value))" }
    return "\(mirror) \(value) \(children.joined(separator: " "))"
}

private func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

private let outlets = [
    Outlet("interpolation") { "\(Secret(hidden))" },
    Outlet("description") { Secret(hidden).description + String(describing: Secret(hidden)) },
    Outlet("debugDescription") { Secret(hidden).debugDescription },
    Outlet("String(reflecting:)") { String(reflecting: Secret(hidden)) },
    Outlet("dump") { dumped(Secret(hidden)) },
    Outlet("a mirror") { mirrored(Secret(hidden)) },
    Outlet("an encoder") { try encoded([Secret(hidden)]) },
    Outlet("a secret structure") { mirrored(Secret(Login.Token())) + dumped(Secret(Login())) },
    Outlet("a structure around it") { "\(Login()) \(String(reflecting: Login()))" },
    Outlet("a structure around it, dumped") { dumped(Login()) },
    Outlet("a structure around it, mirrored") { mirrored(Login()) },
    Outlet("a structure around it, encoded") { try encoded(Login()) },
    Outlet("a dictionary's key") {
        let keyed = [Secret(hidden): 1]
        return "\(keyed) \(String(reflecting: keyed)) \(dumped(keyed))" + (try encoded(keyed))
    },
    Outlet("an optional, a tuple, an existential") {
        let value: Any = Secret(hidden)
        return "\(Secret?.some(Secret(hidden)) as Any) \((1, Secret(hidden))) \(value)"
    },
    Outlet("a scoped state") { dumped(ScopedState.inScope(Secret(hidden))) },
    Outlet("an action") { dumped(LoginAction.entered(Secret(hidden))) },
    Outlet("an error") { "\(LoginError()) \(LoginError().localizedDescription)" },
    Outlet("an effect that dispatches") {
        dumped(Effect<LoginAction>.send(.entered(Secret(hidden))))
    },
    Outlet("the difference of two states") {
        var other = Login()
        other.password = Secret(hidden + "0")
        other.older = []
        other.byPlace = [:]
        other.perhaps = nil
        return StateDiff.lines(Login(), other).joined() + StateDiff.lines(other, Login()).joined()
    },
    Outlet("a rejection that names it") {
        dumped(Rejection("wrong", "\(Secret(hidden)) is wrong."))
    },
]

@Suite struct `A secret` {
    @Test(arguments: outlets)
    fileprivate func `is shown by no outlet`(outlet: Outlet) throws {
        let shown = try outlet.show()
        #expect(!shown.isEmpty)
        #expect(!shown.contains(hidden))
    }

    @Test func `is redacted where it would stand`() throws {
        #expect("\(Secret(hidden))" == "<redacted>")
        #expect(try encoded(["password": Secret(1)]) == #"{"password":"<redacted>"}"#)
    }

    @Test func `is there for the one who uses it, and compared`() {
        #expect(Secret(hidden).value == hidden)
        #expect(Secret(1) == Secret(1))
        #expect(Secret(1) != Secret(2))
        #expect(Set([Secret(1), Secret(1), Secret(2)]).count == 2)
    }

    @Test(arguments: [
        "", "sesame-471", "sesame-4710", "Sesame-4711", "sesame-47110", "sésame-4711",
    ])
    func `is matched by its own text alone`(text: String) {
        #expect(Secret(hidden).matches(hidden) && Secret("").matches(""))
        #expect(!Secret(hidden).matches(text) && !Secret(text).matches(hidden))
    }

    @Test func `is read from what it hides`() throws {
        let json = Data(#"["open"]"#.utf8)
        #expect(try JSONDecoder().decode([Secret<String>].self, from: json) == [Secret("open")])
    }

    @Test func `is matched by no text where redacted was read in its place`() throws {
        let json = Data(#"["<redacted>"]"#.utf8)
        let read = try JSONDecoder().decode([Secret<String>].self, from: json)
        #expect(read[0].value == Secret<Never>.redacted)
        #expect(!read[0].matches(Secret<Never>.redacted))
    }

    /// A store that tells everything about itself, and the texts that came out.
    @Test func `is told by nothing that a store tells`() async {
        let texts = Mutex<[String]>([])
        let tell: @Sendable (Any) -> Void = { value in
            let text = dumped(value) + mirrored(value)
            texts.withLock { $0.append(text) }
        }
        let (deliveries, continuation) = AsyncStream.makeStream(
            of: StoreDelivery<LoginAction>.self)
        let guesses = Mutex(0)
        let store = Store<Login, LoginAction>(
            initial: Login(),
            reducer: { (state, action, _) throws(Rejection) in
                switch action {
                case .entered(let password): state.password = password
                case .failed(let login):
                    throw Rejection("failed", "No \(login).")
                case .guessed:
                    let guess = guesses.withLock { count in
                        count += 1
                        return count
                    }
                    state.password = Secret(hidden + "\(guess)")
                }
            },
            middleware: [
                .logger { tell($0) },
                .analytics(event: { $0 }, send: { tell($0) }),
                Middleware(
                    "effects",
                    effectsAfter: { transition in
                        guard case .entered(let password) = transition.action else { return [] }
                        return [
                            .run("sign in") { context in
                                try await context.send(.failed(Login(password: password)))
                                throw LoginError(login: Login(password: password))
                            }
                        ]
                    }),
            ],
            environment: Environment(now: { Timestamp(milliseconds: 0) }),
            deliver: { continuation.yield($0) })
        store.onDiagnostic = { tell($0) }
        store.checks = ReductionChecks(sizeBudget: 1)
        tell(store.dispatch(.entered(Secret(hidden))))
        tell(store.dispatch(.failed(Login())))
        tell(store.dispatch(.guessed))
        tell(store.stage(.entered(Secret(hidden + "1"))))
        tell(store.uncommitted)
        tell(store.ledger.uncommittedActions)
        tell(store.runningEffects)
        tell(store.middleware)
        var iterator = deliveries.makeAsyncIterator()
        while !store.isIdle, let delivery = await iterator.next() {
            tell(delivery)
            store.receive(delivery)
        }
        let all = texts.withLock { $0 }
        for part in ["sign in", "impureReduction", "largeState", "effectFailed", "guessed"] {
            #expect(all.contains { $0.contains(part) }, "nothing told of \(part)")
        }
        #expect(all.count > 15)
        #expect(!all.contains { $0.contains(hidden) })
    }
}
