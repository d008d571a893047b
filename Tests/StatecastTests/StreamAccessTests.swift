import Sockets
import Testing

@testable import Statecast
@testable import StatecastTesting

/// A notice for everybody, and a plan for those of the staff.
private struct BoardApplication: PlainApplication {
    struct State: StateValue {
        var notice = "open"
        var plan = "swordfish"
        var present: [String] = []
    }

    struct Seen: Encodable {
        var notice: String
        var plan: String?
    }

    enum Action: ActionGroup {
        case noticed(String)
        case session(SessionFact)
    }

    let initialState = State()
    /// The staff is told no more than the others, while the plan is secret.
    var isPlanSecret = false

    var views: Views<State> {
        let isPlanSecret = isPlanSecret
        return Views(
            state: View(by: { $1.principal.roles.contains("staff") }) { state, isStaff in
                Seen(notice: state.notice, plan: isStaff && !isPlanSecret ? state.plan : nil)
            },
            View("present") { $0.present })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .noticed(let text): state.notice = text
        case .session(.restored): state.present = []
        case .session(.watchersChanged(let came, let left)):
            state.present.removeAll { id in left.contains { $0.id == id } }
            state.present += came.compactMap(\.id)
        }
    }
}

@Suite(.onBothJournals) struct `Access to an open stream` {
    private static let session = "/board/sessions/demo"

    /// The answer of access control to requests of alice's, and the reasons for which it was asked.
    private final class Ruling: Sendable {
        private let present = Monitor((answer: Access.unauthenticated, count: 0))

        init(_ answer: Access) { set(answer) }

        func set(_ answer: Access) { present.withLock { $0.answer = answer } }

        /// The times that it was asked about an open stream.
        var checkCount: Int { present.withLock { $0.count } }

        /// Waits until it was asked so often; throws where it is not for a long time.
        func wait(forChecks count: Int) throws {
            let end = Instant.read().advanced(by: .seconds(600))
            try #require(present.wait(until: end) { $0.count >= count ? true : nil } != nil)
        }

        func answer(_ request: AccessRequest) -> Access {
            switch request.authorization {
            case "Bearer alice": break
            case "Bearer carol": return .granted(Principal("carol", roles: ["observe", "staff"]))
            default: return .granted(Principal("", roles: ["act", "observe"]))
            }
            return present.withLock { present in
                if request.purpose == .openStream { present.count += 1 }
                self.present.wakeAll()
                return present.answer
            }
        }
    }

    private static let staff = Principal("alice", roles: ["admin", "observe", "staff"])
    private static let guest = Principal("alice", roles: ["observe"])

    private static func serve(
        _ ruling: Ruling, _ application: BoardApplication = BoardApplication(),
        absence: Duration = .seconds(10), projections: Int = 1_000,
        period: Duration? = .milliseconds(1),
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.sessionLimits.accessCheckDuration = period
        configuration.sessionLimits.projectionCount = projections
        configuration.sessionLimits.absenceDuration = absence
        configuration.authorize = { ruling.answer($0) }
        // One that reads nothing stays, however long a loaded machine takes.
        configuration.limits.writeProgressDuration = .seconds(1000)
        try await TestServer.run(
            configuration, serving: { Served("/board", application) }
        ) { server in
            try server.create(session)
            try await body(server)
        }
    }

    private static func watch(
        _ server: TestServer, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> TestEvents {
        try server.events(
            session, query: query,
            fields: fields.merging(["Authorization": "Bearer alice"]) { own, _ in own })
    }

    private static func notice(_ text: String, on server: TestServer) throws {
        #expect(try server.dispatch(session, "noticed", "\"\(text)\"").isSuccess)
    }

    @Test func `shows less at once when a role is taken away, and more when it is given back`()
        async throws
    {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling) { server in
            let stream = try Self.watch(server)
            let first = try #require(try stream.next())
            #expect(first.data == #"{"notice":"open","plan":"swordfish"}"#)
            ruling.set(.granted(Self.guest))
            let second = try #require(try stream.next())
            #expect(second.data == #"{"notice":"open"}"#)
            #expect(second.id != first.id)
            for text in ["a", "b", "c"] {
                try Self.notice(text, on: server)
                #expect(try stream.next()?.data == #"{"notice":"\#(text)"}"#)
            }
            ruling.set(.granted(Self.staff))
            #expect(try stream.next()?.data == #"{"notice":"c","plan":"swordfish"}"#)
        }
    }

    @Test func `tells a new id alone where the other view is the same`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling, BoardApplication(isPlanSecret: true)) { server in
            let stream = try Self.watch(server)
            let first = try #require(try stream.next())
            ruling.set(.granted(Self.guest))
            #expect(try stream.nextID() != first.id)
            try Self.notice("b", on: server)
            #expect(try stream.next()?.data == #"{"notice":"b"}"#)
        }
    }

    @Test func `counts for parts and lines as well`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling) { server in
            let part = try Self.watch(server, "?select=/plan")
            let until = try Self.watch(server, "?select=/plan&until=out-of-scope")
            let lines = try Self.watch(server, "", ["Accept": "application/x-ndjson"])
            #expect(try part.next()?.data == #""swordfish""#)
            #expect(try until.next()?.data == #""swordfish""#)
            #expect(try lines.nextLine()?.contains("swordfish") == true)
            ruling.set(.granted(Self.guest))
            #expect(try part.next()?.name == "out-of-scope")
            #expect(try until.next()?.name == "out-of-scope")
            #expect(try until.next() == nil)
            #expect(try lines.nextLine()?.contains(#""state":{"notice":"open"}"#) == true)
        }
    }

    @Test(arguments: [Access.unauthenticated, .forbidden])
    func `ends when it is withdrawn`(access: Access) async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling) { server in
            let stream = try Self.watch(server)
            _ = try stream.next()
            ruling.set(access)
            #expect(try stream.next()?.name == "unauthorized")
            #expect(try stream.next() == nil)
        }
    }

    @Test func `is asked for again and again, and of no stream that has closed`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling) { server in
            let stream = try Self.watch(server)
            _ = try stream.next()
            try ruling.wait(forChecks: 5)
            _ = try server.send("DELETE", Self.session, fields: ["Authorization": "Bearer alice"])
            while try stream.next() != nil {}
            let other = "/board/sessions/other"
            try server.create(other)
            let count = ruling.checkCount
            let anonymous = try server.events(other)
            _ = try anonymous.next()
            for number in 0..<20 {
                #expect(try server.dispatch(other, "noticed", "\"\(number)\"").isSuccess)
                _ = try anonymous.next()
            }
            #expect(ruling.checkCount <= count + 1)
        }
    }

    @Test func `sends a slow client the other view once, when it goes on`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling) { server in
            let connection = try server.connect()
            try connection.limitReceiveBuffer(to: 65_536)
            try connection.send(
                "GET \(Self.session)/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                    + "Authorization: Bearer alice\r\n\r\n")
            let stream = TestEvents(connection)
            _ = try stream.next()
            // More than the kernel holds.
            let long = String(repeating: "x", count: 500_000)
            for number in 0..<15 { try Self.notice("\(number) \(long)", on: server) }
            ruling.set(.granted(Self.guest))
            let count = ruling.checkCount
            try ruling.wait(forChecks: count + 2)
            var events: [TestEvent] = []
            while events.last.map({ $0.data.contains("swordfish") }) ?? true {
                events.append(try #require(try stream.next(within: .seconds(600))))
            }
            try Self.notice("end", on: server)
            while events.last?.data != #"{"notice":"end"}"# {
                events.append(try #require(try stream.next(within: .seconds(600))))
            }
            #expect(events.count < 13)
            #expect(Set(events.map(\.id)).count == events.count)
            #expect(events.suffix(2).first?.data.hasPrefix(#"{"notice":"14 "#) == true)
        }
    }

    @Test func `finds room in the place of the view that nothing else shows`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling, projections: 1) { server in
            let stream = try Self.watch(server)
            _ = try stream.next()
            ruling.set(.granted(Self.guest))
            #expect(try stream.next()?.data == #"{"notice":"open"}"#)
        }
    }

    @Test func `goes on where there is no room for the other view`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling, projections: 1) { server in
            let stream = try Self.watch(server)
            let carol = try Self.watch(server, "", ["Authorization": "Bearer carol"])
            for watcher in [stream, carol] { _ = try watcher.next() }
            ruling.set(.granted(Principal("bob", roles: ["observe"])))
            #expect(try stream.next()?.data == #"{"notice":"open"}"#)
            try Self.notice("on", on: server)
            #expect(try carol.next()?.data == #"{"notice":"on","plan":"swordfish"}"#)
            #expect(try stream.next()?.data == #"{"notice":"on"}"#)
        }
    }

    @Test func `is asked for once where streams are never checked`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling, period: nil) { server in
            let stream = try Self.watch(server)
            _ = try stream.next()
            ruling.set(.unauthenticated)
            for number in 0..<20 {
                try Self.notice("\(number)", on: server)
                #expect(try stream.next()?.data.contains("swordfish") == true)
            }
            #expect(ruling.checkCount == 0)
        }
    }

    @Test func `tells the application who has gone and who has come`() async throws {
        let ruling = Ruling(.granted(Self.staff))
        try await Self.serve(ruling, absence: .zero) { server in
            let present = try server.events(Self.session, query: "?view=present")
            let stream = try Self.watch(server)
            _ = try stream.next()
            await server.advance(by: Attendance.pause)
            while try present.next()?.data != #"["alice"]"# {}
            ruling.set(.granted(Principal("bob", roles: ["observe", "staff"])))
            await server.advance(by: Attendance.pause)
            while try present.next()?.data != #"["bob"]"# {}
        }
    }
}
