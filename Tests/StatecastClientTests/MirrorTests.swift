import ClientWire
import Foundation
import Observation
import Redux
import StatecastTesting
import Testing

@testable import StatecastClient

/// Hands requests to a server on paper.
private actor PaperTransport: Transport {
    var server: PaperServer
    private var streams:
        [(id: String?, body: AsyncThrowingStream<[UInt8], any Error>.Continuation)] =
            []
    /// The answers that are given in place of the server's.
    private var answers: [ClientAnswer] = []
    private(set) var lastBody = ""

    init(_ server: PaperServer) { self.server = server }

    func answer(with answer: ClientAnswer) { answers.append(answer) }

    func send(_ request: ClientRequest) async throws -> TransportAnswer {
        let (stream, body) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        if request.target.contains("/events") {
            streams.append((request.fields["Last-Event-ID"], body))
            publish()
            return TransportAnswer(status: 200, fields: [:], body: stream)
        }
        let answer: ClientAnswer
        if let body = request.body { lastBody = String(decoding: body, as: UTF8.self) }
        if request.method == "POST" {
            answer =
                try answers.isEmpty ? server.take(request, by: "ada") : answers.removeFirst()
            publish()
        } else {
            answer = server.description(of: "ada")
        }
        body.yield(answer.body)
        body.finish()
        return TransportAnswer(status: answer.status, fields: answer.fields, body: stream)
    }

    private func publish() {
        for index in streams.indices {
            guard let event = server.event(behind: streams[index].id) else { continue }
            streams[index].id = "\(server.epoch)-\(server.version)"
            streams[index].body.yield(event)
        }
    }
}

/// Nobody answers.
private struct SilentTransport: Transport {
    func send(_ request: ClientRequest) async throws -> TransportAnswer {
        try await ContinuousClock().sleep(for: .seconds(3_600))
        throw CancellationError()
    }
}

@MainActor @Suite struct `A mirror` {
    private let transport: PaperTransport
    private let mirror: Mirror<BoardModel>

    init() throws {
        transport = PaperTransport(try PaperServer())
        mirror = Mirror(of: "/board/sessions/board", over: transport)
        mirror.start()
    }

    @Test func `shows an action at once, and tells when the server has it`() async throws {
        await mirror.until { $0.status == .live }
        let sent = mirror.send(.written(text: "tea"))
        #expect(mirror.state?.notes.map(\.text) == ["tea"] && mirror.pendingCount == 1)
        #expect(try await sent.confirmed() == "k3f9-1")
        #expect(mirror.state?.notes.map(\.id) == ["k3f9-1"] && mirror.pendingCount == 0)
        mirror.stop()
    }

    @Test func `rolls back what is refused, and tells why`() async throws {
        await mirror.until { $0.status == .live }
        let before = mirror.state
        await transport.answer(with: PaperServer.problem(409, "problems/rejected/closed"))
        let sent = mirror.send(.stroked)
        #expect(mirror.state?.strokes == 1)
        let problem = await #expect(throws: MirrorProblem.self) { try await sent.confirmed() }
        #expect(problem?.code == "closed" && problem?.isRejection == true)
        #expect(mirror.state == before)
        mirror.stop()
    }

    @Test func `tells that a session is lost, and makes it anew only when it is told to`()
        async throws
    {
        await mirror.until { $0.status == .live }
        await transport.answer(with: PaperServer.problem(404, "problems/session-not-found"))
        let problem = await #expect(throws: MirrorProblem.self) {
            try await mirror.send(.stroked).confirmed()
        }
        #expect(problem?.code == "session-not-found")
        guard case .lost = mirror.status else {
            Issue.record("\(mirror.status)")
            return
        }
        await #expect(throws: MirrorProblem.self) { try await mirror.send(.stroked).confirmed() }
        try await mirror.make()
        await mirror.until { $0.status == .live }
        try await mirror.send(.stroked).confirmed()
        mirror.stop()
    }

    @Test func `hands the secrets of an input over`() async throws {
        try await mirror.make(with: ["word": Secret("tea")])
        mirror.stop()
        #expect(await transport.lastBody == #"{"word":"tea"}"#)
    }

    @Test func `lets nobody wait who has outlived it, or has read as somebody else`() async throws {
        await mirror.until { $0.state != nil }
        let before = mirror.states
        mirror.fields = [:]
        #expect(mirror.state != nil)
        mirror.fields = ["Authorization": "ben"]
        for await _ in before { Issue.record("This is another person's.") }
        var other: Mirror<BoardModel>? = Mirror(of: "/board/sessions/board", over: transport)
        let (sent, states) = try (#require(other?.send(.stroked)), #require(other?.states))
        other = nil
        let problem = await #expect(throws: MirrorProblem.self) { try await sent.confirmed() }
        #expect(problem?.code == "stopped")
        for await _ in states {}
    }

    @Test func `waits no longer for a session to be made than for anything else`() async throws {
        let clock = ManualClock()
        let silent = Mirror<BoardModel>(
            of: "/board/sessions/board", over: SilentTransport(), in: clock.environment())
        let making = Task { try await silent.make() }
        while clock.timeToNextWake == nil { await Task.yield() }
        clock.advance(by: SessionFeed.patience)
        let problem = await #expect(throws: MirrorProblem.self) { try await making.value }
        #expect(problem?.code == "no-answer")
    }

    @Test func `ends what waits when it is stopped`() async throws {
        let sent = mirror.send(.stroked)
        mirror.stop()
        let problem = await #expect(throws: MirrorProblem.self) { try await sent.confirmed() }
        #expect(problem?.code == "stopped")
    }
}

@Suite struct `The reactions of a client` {
    /// The article's table says of each code whether a client may send it again.
    @Test func `are those that the article Problems allows`() throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Statecast/Statecast.docc/Problems.md")
        let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count == 4 && $0[0].hasPrefix("`") }
        #expect(rows.count > 60)
        for row in rows {
            let code = row[0].trimmingCharacters(in: ["`"])
            let problem = MirrorProblem(code, "", status: Int(row[1].prefix(3)) ?? 0)
            let expected: MirrorProblem.Reaction =
                ["session-not-found", "session-ended"].contains(code)
                ? .lose : row[3].hasPrefix("Yes") ? .again : .giveUp
            #expect(problem.reaction == expected, "\(code)")
        }
    }

    @Test(arguments: [
        (["retry-after": "7"], 7), (["retry-after": "700"], 60),
        (
            [
                "retry-after": "Sun, 06 Nov 1994 08:49:44 GMT",
                "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            ], 7
        ),
        (
            [
                "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT",
                "date": "Sun, 06 Nov 1994 08:49:44 GMT",
            ], 0
        ),
        (["retry-after": "Sun, 06 Nov 1994 08:49:44 GMT"], nil), (["retry-after": "soon"], nil),
    ])
    func `wait as long as the server asks`(fields: [String: String], seconds: Int?) {
        let answer = ClientAnswer(status: 503, fields: fields, body: [])
        #expect(MirrorProblem(answer).pause == seconds.map { .seconds($0) })
        #expect(MirrorProblem(answer).reaction == .again && MirrorProblem(answer).leavesDoubt)
    }
}

extension Mirror {
    /// Waits until the mirror is as wanted.
    func until(_ isSo: @escaping @Sendable @MainActor (Mirror) -> Bool) async {
        for await isSo in Observations({ isSo(self) }) where isSo { return }
    }
}
