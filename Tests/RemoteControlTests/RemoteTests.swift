import ClientWire
import StateCoding
import Synchronization
import Testing

@testable import RemoteControl

/// Answers requests in order; a stream is an answer that was given its pieces.
private final class PaperTransport: Transport {
    enum Reply {
        case answer(Int, String, [String: String])
        case stream([String])
        /// Does not end.
        case open([String])
        case failure(String)
        case silence
    }

    private let replies: Mutex<[Reply]>
    private let asked = Mutex<[ClientRequest]>([])

    init(_ replies: [Reply]) { self.replies = Mutex(replies) }

    var requests: [ClientRequest] { asked.withLock { $0 } }

    func send(_ request: ClientRequest) async throws -> TransportAnswer {
        asked.withLock { $0.append(request) }
        let reply = replies.withLock { $0.isEmpty ? .failure("no-answer") : $0.removeFirst() }
        let (body, pieces) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        switch reply {
        case .silence:
            try await ContinuousClock().sleep(for: .seconds(60))
            throw CancellationError()
        case .failure(let code): throw MirrorProblem(code, "It is lost.")
        case .answer(let status, let text, let fields):
            pieces.yield(Array(text.utf8))
            pieces.finish()
            return TransportAnswer(status: status, fields: fields, body: body)
        case .stream(let texts), .open(let texts):
            for text in texts { pieces.yield(Array(text.utf8)) }
            if case .stream = reply { pieces.finish() }
            return TransportAnswer(status: 200, fields: [:], body: body)
        }
    }
}

@MainActor @Suite struct `A server from afar` {
    private let terminal = Terminal(isTerminal: false, isColored: false)

    private static func problem(_ status: Int, _ code: String) -> PaperTransport.Reply {
        .answer(status, #"{"type":"/problems/\#(code)","detail":"No."}"#, [:])
    }

    private func remote(_ replies: [PaperTransport.Reply], patience: Duration = .seconds(5)) -> (
        Remote, PaperTransport
    ) {
        let transport = PaperTransport(replies)
        let remote = Remote(
            over: transport, ["X": "1"], patience: patience, terminal, leastPause: 1)
        return (remote, transport)
    }

    private let post = ClientRequest.posting(
        [], to: "/s", fields: ["Idempotency-Key": "\"k-1\""])

    @Test func `is sent the same with the same key where an answer is lost`() async throws {
        let (remote, transport) = remote([
            .failure("no-answer"), Self.problem(503, "journal-busy"), .answer(200, "{}", [:]),
        ])
        _ = try await remote.ask(post)
        #expect(
            transport.requests.map { $0.fields["Idempotency-Key"] }
                == .init(repeating: "\"k-1\"", count: 3))
    }

    @Test func `is asked once where it is not there, or says no`() async throws {
        for (reply, reason) in [
            (PaperTransport.Reply.failure("not-connected"), ExitReason.unreachable),
            (Self.problem(422, "unknown-action"), .badAction),
            (Self.problem(409, "rejected/closed"), .rejected),
            (.answer(500, "<p>", [:]), .outcomeUnknown),
        ] {
            let (remote, transport) = remote([reply])
            let problem = await #expect(throws: MirrorProblem.self) { try await remote.ask(post) }
            #expect(problem.map { ExitReason($0) } == reason && transport.requests.count == 1)
        }
    }

    @Test func `leaves open what became of an action whose answer was lost`() async throws {
        for (last, reason) in [
            (Self.problem(401, "unauthenticated"), ExitReason.outcomeUnknown),
            (Self.problem(409, "rejected/closed"), .rejected),
        ] {
            let (remote, _) = remote([.failure("no-answer"), last])
            let problem = await #expect(throws: MirrorProblem.self) { try await remote.ask(post) }
            #expect(problem.map { ExitReason($0) } == reason)
        }
    }

    @Test func `names the page behind one by its query alone`() {
        func next(_ link: String) -> String? {
            ClientAnswer(status: 200, fields: ["link": link], body: []).next
        }
        #expect(next("<@elsewhere/c?after=a&limit=2>; rel=\"next\"") == "?after=a&limit=2")
        #expect(next("</c?after=a>; rel=\"prev\"") == nil)
    }

    @Test func `is asked no more where nobody waits for the answer`() async throws {
        let (remote, transport) = remote([])
        let asking = Task { try await remote.get("/s") }
        asking.cancel()
        await #expect(throws: MirrorProblem.self) { try await asking.value }
        #expect(transport.requests.count == 1)
    }

    @Test func `does not answer in time`() async throws {
        for reply in [PaperTransport.Reply.failure("no-answer"), .silence] {
            let (remote, _) = remote([reply], patience: .milliseconds(20))
            let problem = await #expect(throws: MirrorProblem.self) { try await remote.get("/s") }
            #expect(problem.map { ExitReason($0) } == .timedOut)
        }
    }

    private let description = PaperTransport.Reply.answer(
        200, #"{"id":"s","token":"k-1","you":{"roles":[]},"sees":"state","schema":1}"#, [:])

    @Test func `is followed on where what an event leads to has no answer now`() async throws {
        let (remote, _) = remote([
            description,
            .stream(["retry: 1\n\nevent: snapshot\nid: k-1\ndata: {\"version\":1,\"state\":1}\n\n"]
            ),
            description, .stream(["id: k-1\n\nevent: end\ndata: {}\n\n"]),
        ])
        var count = 0
        let problem = await #expect(throws: MirrorProblem.self) {
            try await Follower(of: "/s", on: remote).run { _ in
                count += 1
                if count == 1 { throw MirrorProblem("no-answer", "It is lost.") }
                return false
            }
        }
        #expect(count == 2 && problem.map { ExitReason($0) } == .sessionLost)
    }

    @Test func `has written a log once, though the log tells of a new epoch before the stream`()
        async throws
    {
        let page = #"[{"version":2,"epoch":"n","kind":"reverted"}]"#
        let (remote, transport) = remote([.answer(200, page, [:]), .answer(200, "[]", [:])])
        var reader = LogReader(
            session: "/s", last: Token(epoch: "k", version: 1), withPatch: false,
            remote: remote)
        try await reader.read()
        let token = Token(epoch: "n", version: 2)
        try await reader.read(upTo: token)
        #expect(reader.last == token && transport.requests.count == 2)
    }

    @Test(arguments: [("1970", [3, 4]), ("1971", [1, 2])])
    func `has written what was missed before a revert, and all of a session that was made anew`(
        created: String, versions: [Int]
    ) async throws {
        let entries = versions.map { version in
            let epoch = version == 4 ? #","epoch":"n""# : ""
            return #"{"version":\#(version)\#(epoch)}"#
        }
        let (remote, transport) = remote([
            .answer(200, #"{"created":"\#(created)"}"#, [:]),
            .answer(200, "[\(entries.joined(separator: ","))]", [:]),
        ])
        var reader = LogReader(
            session: "/s", created: "1970", last: Token(epoch: "k", version: 2),
            withPatch: false, remote: remote)
        let token = Token(epoch: "n", version: UInt64(versions[1]))
        try await reader.read(upTo: token)
        #expect(reader.last == token)
        #expect(
            transport.requests.map(\.target)
                == ["/s", "/s/log?after=\(versions[0] - 1)&limit=1000"])
    }

    @Test func `is asked no more for a log that names a next page, and does not go on`()
        async throws
    {
        let next = ["link": "</s/log?after=2>; rel=\"next\""]
        let page = PaperTransport.Reply.answer(200, #"[{"version":2}]"#, next)
        let (remote, transport) = remote([page, page, page])
        let last = Token(epoch: "k", version: 1)
        var reader = LogReader(session: "/s", last: last, withPatch: false, remote: remote)
        try await reader.read()
        #expect(reader.last.version == 2 && transport.requests.count == 2)
    }

    @Test func `tells its versions alone to one that has no use for the state`() async throws {
        let (remote, transport) = remote([
            description,
            .stream([
                "id: k-2\n\nevent: patch\nid: k-3\ndata: {\"from\":2,\"version\":3,\"ops\":[]}\n\n",
                "event: snapshot\nid: n-1\ndata: {\"version\":1,\"state\":1}\n\n",
                "event: end\ndata: {}\n\n",
            ]),
        ])
        var tokens: [String] = []
        let last = Token(epoch: "k", version: 1)
        let problem = await #expect(throws: MirrorProblem.self) {
            try await Follower(of: "/s", behind: last, on: remote).run { news in
                if case .version(let token) = news { tokens.append("\(token)") }
                return false
            }
        }
        #expect(tokens == ["k-2", "k-3", "n-1"])
        #expect(problem.map { ExitReason($0) } == .sessionLost)
        #expect(transport.requests.last?.fields["Last-Event-ID"] == "k-1")
    }

    /// An id alone says that what is shown has not changed up to there.
    @Test func `is followed behind an id that came alone, and anew where a patch does not fit`()
        async throws
    {
        func patch(_ from: Int, _ value: Int) -> String {
            "event: patch\nid: k-\(from + 1)\ndata: {\"from\":\(from),\"version\":\(from + 1),\"ops\":["
                + "{\"op\":\"replace\",\"path\":\"\",\"value\":\(value)}]}\n\n"
        }
        let (remote, transport) = remote([
            description,
            .stream(["retry: 1\n\nevent: snapshot\nid: k-1\ndata: {\"state\":1}\n\nid: k-2\n\n"]),
            description, .open([patch(2, 3), patch(7, 8)]), description,
            .stream([
                "event: snapshot\nid: k-8\ndata: {\"state\":8}\n\n", "event: end\ndata: {}\n\n",
            ]),
        ])
        var states: [String] = []
        await #expect(throws: MirrorProblem.self) {
            try await Follower(of: "/s", on: remote).run { news in
                if case .state(let json, let token) = news {
                    states.append("\(token) \(String(decoding: json, as: UTF8.self))")
                }
                return false
            }
        }
        #expect(states == ["k-1 1", "k-3 3", "k-8 8"])
        #expect(
            transport.requests.filter { $0.target.contains("/events") }
                .map { $0.fields["Last-Event-ID"] } == [nil, "k-2", nil])
    }

    @Test func `ends where what it says cannot be written`() async throws {
        let (remote, transport) = remote([
            description, .stream(["event: snapshot\nid: k-1\ndata: {\"state\":1}\n\n"]),
        ])
        let problem = await #expect(throws: MirrorProblem.self) {
            try await Follower(of: "/s", on: remote).run { _ in
                throw MirrorProblem("output-lost", "It cannot be written.")
            }
        }
        #expect(problem.map { ExitReason($0) } == .outputLost && transport.requests.count == 2)
    }

    @Test func `is followed over a break without loss or doubling`() async throws {
        let (remote, transport) = remote([
            description,
            .stream([
                "retry: 1\n\nevent: snapshot\nid: k-1\ndata: {\"version\":1,\"state\":{\"a\":1}}\n\n",
                "event: patch\nid: k-2\ndata: {\"from\":1,\"version\":2,\"ops\":[{\"op\":\"replace\",",
                "\"path\":\"/a\",\"value\":2}]}\n\n",
            ]),
            .failure("no-answer"), description,
            .stream([
                "event: patch\nid: k-4\ndata: {\"from\":2,\"version\":4,\"ops\":["
                    + "{\"op\":\"replace\",\"path\":\"/a\",\"value\":4}]}\n\nevent: end\ndata: {}\n\n"
            ]),
        ])
        var lines: [String?] = []
        var shown: JSONValue?
        let problem = await #expect(throws: MirrorProblem.self) {
            try await Follower(of: "/s", query: "select=/a", on: remote).run { news in
                lines.append(try WatchCommand.line(of: news, behind: &shown, on: terminal))
                return false
            }
        }
        #expect(problem.map { ExitReason($0) } == .sessionLost)
        let values = lines.compactMap { $0?.split(separator: ":").last.map(String.init) }
        #expect(values == ["1}}", "2}]}", "4}]}"])
        #expect(transport.requests.last?.fields["Last-Event-ID"] == "k-2")
        #expect(transport.requests.last?.target == "/s/events?patch=json-patch&select=/a")
    }
}
