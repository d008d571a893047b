import HTTPClient
import Logging
import SignedHooks
import Statecast
import StatecastTesting
import Synchronization
import Testing

@testable import AuctionHouse

typealias Charge = AuctionState.Charge

let clock = Lot(title: "A clock", reserve: 1, seconds: 60)
let moderator = Principal("mod", roles: ["moderator"])
let (sue, ann, bob) = (Principal("sue"), Principal("ann"), Principal("bob"))

/// A payment service that is asked by the house and answered by the test.
struct Payments {
    let charges = ManualAnswers<Charge, Void>()

    var auction: Auction {
        Auction(charge: { [charges] charge, _ in try await charges.answer(to: charge) })
    }

    /// An auction without a lobby.
    var auctionAlone: Auction {
        Auction(
            charge: { [charges] charge, _ in try await charges.answer(to: charge) },
            tell: { _, _ in })
    }
}

extension House {
    static let secret = "sesame"

    init(_ auction: Auction, environment: Environment? = nil) {
        let hook = SignedHook("Payment-Signature", secrets: [Secret(Self.secret)])
        self.init(auction: auction, hook: hook, word: Secret("open"), environment: environment)
    }

    /// Serves the house on a free port while the body runs.
    func serve(
        logger: Logger? = nil, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.authorize = people.access
        configuration.checksReducers = true
        if let logger { configuration.logger = logger }
        try await TestServer.run(configuration, serving: { parts }) { server in
            try await House.begin(server.sessions)
            try await body(server)
        }
    }
}

extension TestServer {
    /// Signs somebody in; the fields by which their requests are known.
    func signIn(_ name: String, word: String? = nil) throws -> [String: String] {
        let word = word.map { #","word":"\#($0)""# } ?? ""
        let answer = try send(
            "POST", "/sign-in", fields: ["Content-Type": "application/json"],
            body: #"{"name":"\#(name)"\#(word)}"#)
        try #require(answer.status == 200, "\(answer.body)")
        return ["Cookie": String(answer.fields["set-cookie"]?.prefix { $0 != ";" } ?? "")]
    }

    /// An auction that somebody opens.
    func auction(_ lot: Lot = clock, of seller: [String: String]) throws -> TestSession<Auction> {
        try session(of: Auction.self, at: "/auctions", named: nil, input: lot, fields: seller)
    }
}

/// Everything that a server logs, at whatever level.
final class LogText: Sendable {
    private struct Handler: LogHandler {
        let log: LogText
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.lines.withLock { $0 += "\(event.message) \(event.metadata ?? [:]) \(metadata)\n" }
        }
    }

    private let lines = Mutex("")
    var text: String { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "house") { [self] _ in Handler(log: self) }
        logger.logLevel = .debug
        return logger
    }
}
