import Foundation
import JournalSQLite
import StateCoding
import Statecast
import StatecastTesting
import TemporaryFolder
import Testing
import Threads

/// Rings at a time, and has work done.
private struct BellApplication: Application {
    struct State: StateValue {
        var due: Timestamp?
        var rang: Timestamp?
        var isWorking = false
        var done: Timestamp?
        var isKept = false
        var keptCount = 0
    }
    enum Action: ActionGroup {
        case set(seconds: Int)
        case rang, started
        case done(Answer<Done>)
        case kept
        case stored(Answer<Done>)
    }

    let initialState = State()
    let views = Views<State>.all
    /// The work that is begun ends.
    let isQuick: Bool
    /// Is told the keys of that work.
    let note: @Sendable (String) -> Void

    func start(_ state: inout State, with seconds: Int?, _ step: Step) throws(Rejection) {
        state.due = seconds.map { step.at + .seconds($0) }
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .set(let seconds): state.due = step.at + .seconds(seconds)
        case .rang: (state.due, state.rang) = (nil, step.at)
        case .started: state.isWorking = true
        case .done: (state.isWorking, state.done) = (false, step.at)
        case .kept: state.isKept = true
        case .stored: state.keptCount += 1
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let due = state.due { Work.alarm("bell", at: due, send: .rang) }
        if state.isWorking {
            Work("slow", for: Done()) { [isQuick, note] _, context in
                note(context.key)
                if !isQuick { try await ContinuousClock().sleep(for: .seconds(60)) }
                return Done()
            } then: {
                .done($0)
            }
        }
        if state.isKept { Work("store", { () async throws -> Done in Done() }) { .stored($0) } }
    }
}

extension TestServer {
    /// Lets so many seconds pass, each within a moment that leaves the journal time.
    func pass(seconds: Int) async throws {
        for _ in 0..<seconds {
            await advance(by: .seconds(1))
            try await ContinuousClock().sleep(for: .milliseconds(40))
        }
    }

    /// Waits until so many sessions are in memory, without using one.
    func waitForSessions(_ count: Int) async throws {
        while try !send("GET", "/metrics").body.contains("statecast_sessions \(count)\n") {
            await advance(by: .milliseconds(500))
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// Waits until the one session was told to be in memory, and then not any more.
    func waitUntilAsleep() async throws {
        for count in [1, 0] { try await waitForSessions(count) }
    }
}

@Suite struct `A session that sleeps in a journal` {
    private static let path = "/bell/sessions/demo"
    private let folder = TemporaryFolder()

    private func serve(
        idle: Duration, isQuick: Bool = true, at paths: [String] = ["/bell"],
        noting note: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.journal = try SQLiteJournal(directory: folder.path)
        configuration.sessionLimits.idleDuration = idle
        configuration.drainDuration = .milliseconds(100)
        try await TestServer.run(
            configuration,
            serving: {
                for path in paths { Served(path, BellApplication(isQuick: isQuick, note: note)) }
            }, body: body)
    }

    private static func time(
        _ name: String, _ server: TestServer, of path: String = path
    ) throws -> Int {
        // It is in memory a moment before it is rung.
        let end = ContinuousClock.now + .seconds(10)
        var state = try server.send("GET", "\(path)/state").json()
        while state[name] == nil, ContinuousClock.now < end {
            state = try server.send("GET", "\(path)/state").json()
        }
        let value = try #require(state[name])
        return try #require((value["milliseconds"] ?? value).integer)
    }

    private static var now: Int { Int(Date().timeIntervalSince1970 * 1_000) }

    @Test func `is woken by its alarm`() async throws {
        try await serve(idle: .milliseconds(200)) { server in
            try server.create(Self.path)
            _ = try server.dispatch(Self.path, "set", #"{"seconds":1}"#)
            let set = Self.now
            try await server.waitUntilAsleep()
            try await server.waitForSessions(1)
            let rang = try Self.time("rang", server)
            #expect(rang - set >= 900)
        }
    }

    @Test func `is woken after a restart, by an alarm that is past and for work that goes on`()
        async throws
    {
        let unposted = "/bell/sessions/unposted"
        try await serve(idle: .seconds(60), isQuick: false) { server in
            try server.create(Self.path)
            // Nobody posts to this one.
            try server.create(unposted, input: "1")
            _ = try server.dispatch(Self.path, "started", nil)
            _ = try server.dispatch(Self.path, "set", #"{"seconds":1}"#)
        }
        try await ContinuousClock().sleep(for: .seconds(1))
        let start = Self.now
        try await serve(idle: .seconds(60)) { server in
            // Nobody has asked for them.
            try await server.waitForSessions(2)
            for (name, path) in [("rang", Self.path), ("done", Self.path), ("rang", unposted)] {
                while try server.send("GET", "\(path)/state").json()[name] == nil {}
                #expect(try Self.time(name, server, of: path) >= start)
            }
        }
    }

    @Test func `is woken although many are due before it that nobody serves`() async throws {
        try await serve(idle: .seconds(60), isQuick: false, at: ["/bell", "/former"]) { server in
            for number in 0..<300 {
                let path = "/former/sessions/s\(number)"
                try server.create(path)
                _ = try server.dispatch(path, "started", nil)
            }
            try server.create(Self.path)
            _ = try server.dispatch(Self.path, "set", #"{"seconds":1}"#)
        }
        try await ContinuousClock().sleep(for: .seconds(1))
        try await serve(idle: .seconds(60)) { server in
            try await server.waitForSessions(1)
            while try server.send("GET", "\(Self.path)/state").json()["rang"] == nil {}
        }
    }

    @Test func `goes on with its work by the same key after a clean stop`() async throws {
        let keys = Lock<[String]>([])
        for count in 1...3 {
            try await serve(
                idle: .seconds(60), isQuick: false,
                noting: { key in keys.withLock { $0.append(key) } }
            ) { server in
                if count == 1 {
                    try server.create(Self.path)
                    _ = try server.dispatch(Self.path, "started", nil)
                    _ = try server.dispatch(Self.path, "set", #"{"seconds":600}"#)
                }
                while keys.withLock({ $0.count }) < count {
                    try await ContinuousClock().sleep(for: .milliseconds(50))
                }
            }
        }
        #expect(keys.withLock { $0.count == 3 && Set($0).count == 1 })
    }

    @Test func `does not do again what was done before it fell asleep`() async throws {
        try await serve(idle: .milliseconds(200)) { server in
            try server.create(Self.path)
            _ = try server.dispatch(Self.path, "kept", nil)
            for _ in 1...3 {
                try await server.waitUntilAsleep()
                #expect(try Self.time("keptCount", server) == 1)
            }
        }
    }
}
