import Logging
import Sockets
import Statecast
import StatecastTesting
import Synchronization
import Testing

/// An application that is forgotten as the test says.
private struct KeepingApplication: PlainApplication {
    struct State: StateValue {}
    enum Action: ActionGroup {
        case touched
    }

    let initialState = State()

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {}

    /// The application at its place, with an attempt's number for what forgets.
    static func served(
        environment: Environment? = nil,
        forgetting: @escaping @Sendable (SessionID, _ attempt: Int) async throws -> Void
    ) -> Served {
        let attempts = Attempts()
        return Served(
            "/keep", KeepingApplication(),
            options: SessionOptions(forgetting: { try await forgetting($0, attempts.next()) }),
            environment: environment)
    }

    private final class Attempts: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }
}

@Suite struct `An application whose session was ended` {
    private let session = "/keep/sessions/demo"

    private struct DiskFull: Error {}

    /// Ended ids are forgotten at once, as far as no application still forgets something.
    private static var configuration: ServerConfiguration {
        var configuration = TestServer.configuration
        configuration.sessionLimits.endedCount = 0
        return configuration
    }

    /// Serves the application, by the machine's clock unless there is another one.
    private func serve(
        _ configuration: ServerConfiguration = configuration, clock: (any Clock<Duration>)? = nil,
        forgetting: @escaping @Sendable (SessionID, Int) async throws -> Void,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let environment = clock.map {
            Environment(clock: $0, now: { Timestamp(milliseconds: 0) })
        }
        try await TestServer.run(
            configuration,
            serving: {
                KeepingApplication.served(environment: environment, forgetting: forgetting)
            }, body: body)
    }

    @Test func `forgets it before DELETE is answered, and the id begins anew only then`()
        async throws
    {
        let (begun, gate) = (Count(), Gate())
        try await serve { id, attempt in
            #expect(id.description == "demo" && attempt == 1)
            begun.add()
            await gate.wait()
        } _: { server in
            try server.create(session)
            async let answer = server.send("DELETE", session)
            await begun.reaches(1)
            for method in ["PUT", "GET", "DELETE"] {
                #expect(try server.send(method, session).status == 410)
            }
            #expect(try server.send("GET", session + "/state").status == 410)
            gate.open()
            #expect(try await answer.status == 204)
            #expect(try server.create(session).status == 201)
        }
    }

    @Test func `that fails is asked again until it succeeds, and operators are told`()
        async throws
    {
        let clock = CountingClock()
        let lines = LogLines()
        var configuration = Self.configuration
        configuration.logger = Logger(label: "test") { _ in lines.handler }
        try await serve(configuration, clock: clock) { _, attempt in
            if attempt < 4 { throw DiskFull() }
        } _: { server in
            try server.create(session)
            async let answer = server.send("DELETE", session)
            for (number, milliseconds) in [100, 200, 400].enumerated() {
                await clock.sleeps.reaches(number + 1)
                clock.advance(by: .milliseconds(milliseconds - 1))
                #expect(try server.create(session).status == 410)
                clock.advance(by: .milliseconds(1))
            }
            #expect(try await answer.status == 204)
            #expect(try server.create(session).status == 201)
        }
        let told = lines.all.filter { $0.contains("could not forget") }
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.hasPrefix("error ") && $0.contains("DiskFull") })
        #expect(lines.text.contains("/keep/demo"))
    }

    @Test func `that takes too long leaves the answer at 202, and the id ended`() async throws {
        let gate = Gate()
        var configuration = Self.configuration
        configuration.sessionLimits.forgettingDuration = .milliseconds(20)
        try await serve(configuration) { _, _ in
            await gate.wait()
        } _: { server in
            try server.create(session)
            #expect(try server.send("DELETE", session).status == 202)
            #expect(try server.create(session).status == 410)
            gate.open()
            var status = 410
            while status == 410 { status = try server.create(session).status }
            #expect(status == 201)
        }
    }

    @Test func `is waited for by a server that shuts down`() async throws {
        let (begun, gate) = (Count(), Gate())
        let server = try Server(Self.configuration) {
            KeepingApplication.served { _, _ in
                begun.add()
                await gate.wait()
            }
        }
        try server.start()
        let client = TestServer(server)
        let answer = try await TestServer.runBlocking {
            try client.create(session)
            async let answer = client.send("DELETE", session)
            await begun.reaches(1)
            let idle = try client.connect()
            try idle.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try idle.receive { !$0.isEmpty }
            async let end: Void = server.shutDown()
            // The shutdown has begun once it has closed the connection that does nothing.
            _ = try idle.receiveAll(timeout: .seconds(30))
            gate.open()
            await end
            return try await answer
        }
        #expect(answer.status == 204)
    }

    @Test func `is asked about an id that has no session, which may have left something`()
        async throws
    {
        let forgotten = Mutex<[String]>([])
        try await serve { id, _ in
            forgotten.withLock { $0.append(id.description) }
        } _: { (server) async throws in
            #expect(try server.send("DELETE", session).status == 404)
            #expect(try server.send("GET", session).status == 404)
            #expect(try server.send("DELETE", "/keep/sessions/..").status == 400)
        }
        #expect(forgotten.withLock { $0 } == ["demo"])
    }

    @Test func `forgets a bounded number at a time, and the others are not ended`() async throws {
        let (begun, gate) = (Count(), Gate())
        var configuration = Self.configuration
        configuration.sessionLimits.forgettingCount = 1
        try await serve(configuration) { _, _ in
            begun.add()
            await gate.wait()
        } _: { server in
            let other = "/keep/sessions/other"
            try server.create(session)
            try server.create(other)
            async let answer = server.send("DELETE", session)
            await begun.reaches(1)
            let refused = try server.send("DELETE", other)
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] != nil)
            #expect(refused.body.contains("/problems/too-many-endings"))
            #expect(try server.send("DELETE", "/keep/sessions/none").status == 503)
            #expect(try server.send("GET", other).status == 200)
            gate.open()
            #expect(try await answer.status == 204)
            #expect(try server.send("DELETE", other).status == 204)
        }
    }

    @Test func `is not asked where the session ends by itself`() async throws {
        var configuration = Self.configuration
        configuration.sessionLimits.idleDuration = .seconds(1)
        let asked = Mutex(0)
        try await serve(configuration) { _, _ in
            asked.withLock { $0 += 1 }
        } _: { server in
            try server.create(session)
            try await server.awaitSweep(besides: "/keep/sessions/watched")
            #expect(try server.send("GET", session).status == 404)
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test func `forgets each of many sessions, on whatever loop they live`() async throws {
        var configuration = Self.configuration
        configuration.loopCount = 2
        let forgotten = Mutex<Set<String>>([])
        try await serve(configuration) { id, _ in
            forgotten.withLock { _ = $0.insert(id.description) }
        } _: { server in
            for number in 0..<16 {
                let session = "/keep/sessions/s\(number)"
                try server.create(session)
                #expect(try server.send("DELETE", session).status == 204)
            }
        }
        #expect(forgotten.withLock { $0 } == Set((0..<16).map { "s\($0)" }))
    }
}
