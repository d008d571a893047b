import ClientWire
import Redux
import StateCoding
import Testing

@testable import StatecastClient

/// A client at its server, whose POSTs a test answers.
private struct Desk {
    var machine: MirrorMachine<BoardModel>
    var server: PaperServer
    var now = Duration.zero
    var post: ClientRequest?
    private var you = "ada"
    private var id: String?

    init(isOpen: Bool = true) throws {
        machine = try MirrorMachine(of: "/board/sessions/board", seed: 1)
        server = try PaperServer()
        if isOpen { settle() }
    }

    mutating func settle() {
        while let demand = machine.next(at: now) {
            switch demand {
            case .describe: machine.describe(.success(server.description(of: you)), at: now)
            case .watch(let request):
                machine.open(at: now)
                id = request.fields["Last-Event-ID"]
                show()
            case .post(let request): post = request
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        now += duration
        settle()
    }

    mutating func show() {
        guard let event = server.event(behind: id) else { return }
        id = "\(server.epoch)-\(server.version)"
        machine.read(event, at: now)
    }

    mutating func send(_ action: BoardAction) throws {
        _ = try machine.send(action, at: Timestamp(milliseconds: 5))
        settle()
    }

    /// The server takes what was sent.
    mutating func take() throws -> ClientAnswer {
        let request = try #require(post)
        post = nil
        return try server.take(request, by: you)
    }

    mutating func answer(_ answer: ClientAnswer?) {
        let lost = MirrorProblem("no-answer", "It was lost.")
        machine.answer(answer.map { .success($0) } ?? .failure(lost), at: now)
    }

    /// Somebody else is quicker.
    mutating func strokeOfOther() throws {
        let body = try ActionCoder<BoardAction>().openBytes(of: .stroked)
        let fields = ["Idempotency-Key": "other"]
        _ = try server.take(.posting(body, to: "", fields: fields), by: "ben")
        show()
    }

    mutating func become(_ other: String) {
        you = other
        machine.become(["Authorization": other], at: now)
    }

    mutating func endCodes() -> [String?] {
        var codes: [String?] = []
        while let end = machine.nextEnd() {
            if case .failure(let problem) = end.result { codes.append(problem.code) }
            if case .success(let token) = end.result { codes.append(token) }
        }
        return codes
    }
}

@Suite struct `A client on its own` {
    @Test func `sends what waits as one batch, which is kept once`() throws {
        var desk = try Desk()
        for _ in 0..<3 { try desk.send(.stroked) }
        desk.answer(try desk.take())
        desk.settle()
        let batch = try #require(desk.post)
        _ = try desk.take()
        desk.answer(nil)
        desk.wait(.seconds(2))
        #expect(desk.post?.body == batch.body && desk.post?.fields == batch.fields)
        desk.answer(try desk.take())
        desk.show()
        #expect(desk.endCodes() == ["k3f9-1", "k3f9-2", "k3f9-3"] && desk.server.version == 3)
        for _ in 0..<130 { try desk.send(.stroked) }
        var counts: [Int] = []
        while let request = desk.post {
            counts.append(try #require(request.body).count { $0 == UInt8(ascii: "{") })
            desk.answer(try desk.take())
            desk.settle()
        }
        #expect(counts == [1, 100, 29])
    }

    @Test func `finds the one of a batch that is refused, and has the others kept`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        for _ in 0..<5 { try desk.send(.stroked) }
        try desk.send(.wiped(id: "nobody"))
        for _ in 0..<5 { try desk.send(.stroked) }
        for _ in 0..<20 where desk.post != nil {
            desk.answer(try desk.take())
            desk.show()
            desk.wait(.seconds(1))
        }
        let codes = desk.endCodes()
        #expect(codes.count == 12 && codes.count { $0 == "out-of-scope" } == 1, "\(codes)")
        #expect(desk.server.board.strokes == 11 && desk.machine.state == desk.server.board)
    }

    @Test func `sends what names another action's id behind it`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        try desk.send(.written(text: "tea"))
        let id = try #require(desk.machine.state?.notes.first?.id)
        try desk.send(.rewritten(id: id, text: "milk"))
        for _ in 0..<3 {
            desk.answer(try desk.take())
            desk.show()
            desk.settle()
        }
        #expect(desk.server.board.notes.map(\.text) == ["milk"] && desk.endCodes().count == 3)
    }

    @Test func `shows and sends nothing of the person before`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        try desk.send(.written(text: "tea"))
        _ = try desk.take()
        desk.become("ben")
        #expect(desk.machine.state == nil && desk.machine.pendingCount == 0)
        #expect(desk.endCodes() == ["stopped", "stopped"])
        desk.settle()
        #expect(desk.post == nil && desk.server.version == 1)
        #expect(desk.machine.state?.strokes == 1)
    }

    @Test func `was stopped, and asks for that alone which the server may have`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        try desk.send(.written(text: "tea"))
        let first = desk.post?.fields["Idempotency-Key"]
        desk.machine.stop()
        desk.post = nil
        desk.machine.resume(at: desk.now)
        desk.settle()
        #expect(desk.post?.fields["Idempotency-Key"] == first)
        desk.answer(try desk.take())
        desk.settle()
        #expect(desk.post == nil && desk.server.board.notes == [])
    }

    @Test(arguments: [
        (423, "problems/session-unreadable"), (500, "problems/internal-error"), (500, nil),
        (403, nil), (200, nil),
    ])
    func `tries again where a build or a proxy is at fault`(status: Int, code: String?) throws {
        var desk = try Desk(isOpen: false)
        _ = desk.machine.next(at: desk.now)
        let answer = code.map { PaperServer.problem(status, $0) }
        let page = PaperServer.answer(status, "<html>")
        desk.machine.describe(.success(answer ?? page), at: desk.now)
        guard case .away = desk.machine.status else {
            Issue.record("\(desk.machine.status)")
            return
        }
        desk.wait(.seconds(2))
        #expect(desk.machine.status == .live)
    }

    @Test(arguments: [
        (401, "problems/unauthenticated", "unauthenticated", "outcome-unknown"),
        (409, "problems/rejected/closed", "closed", "closed"),
    ])
    func `tells that an action failed where the server says so of its key`(
        status: Int, code: String, atOnce: String, later: String
    ) throws {
        var desk = try Desk()
        try desk.send(.stroked)
        desk.answer(PaperServer.problem(status, code))
        #expect(desk.endCodes() == [atOnce])
        try desk.send(.stroked)
        desk.answer(nil)
        desk.post = nil
        desk.wait(.seconds(2))
        #expect(desk.post != nil)
        desk.answer(PaperServer.problem(status, code))
        #expect(desk.endCodes() == [later])
    }

    @Test func `shows others after fifteen seconds, without what has no answer`() throws {
        var desk = try Desk()
        try desk.send(.written(text: "tea"))
        try desk.strokeOfOther()
        desk.wait(.seconds(14))
        #expect(desk.machine.state?.strokes == 0 && desk.machine.state?.notes.count == 1)
        desk.wait(.seconds(1))
        #expect(desk.machine.state?.strokes == 1 && desk.machine.state?.notes == [])
        desk.answer(try desk.take())
        desk.show()
        #expect(desk.machine.state == desk.server.board && desk.endCodes() == ["k3f9-2"])
    }

    @Test func `waits for no answer to what it does not show`() throws {
        var desk = try Desk()
        try desk.send(.wiped(id: "nobody"))
        try desk.strokeOfOther()
        #expect(desk.machine.state?.strokes == 1)
    }

    @Test func `stays lost, whatever its stream does`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        desk.answer(PaperServer.problem(404, "problems/session-not-found"))
        desk.machine.end(.silence, at: desk.now)
        desk.wait(.seconds(60))
        #expect(desk.endCodes() == ["session-not-found"])
        guard case .lost = desk.machine.status else {
            Issue.record("\(desk.machine.status)")
            return
        }
    }

    @Test func `tells that an action has led out of its view`() throws {
        var desk = try Desk()
        try desk.send(.stroked)
        desk.answer(try desk.take())
        #expect(desk.endCodes() == [])
        let event = "event: out-of-scope\nid: k3f9-1\ndata: {}\n\n"
        desk.machine.read(Array(event.utf8), at: desk.now)
        #expect(desk.endCodes() == ["k3f9-1"])
        #expect(desk.machine.state == nil && desk.machine.pendingCount == 0)
    }

    @Test func `asks after each break of which build the server is`() throws {
        var desk = try Desk()
        desk.server.schema = 2
        desk.machine.end(nil, at: desk.now)
        desk.wait(.seconds(2))
        try desk.send(.stroked)
        #expect(desk.machine.status == .live && desk.machine.state?.strokes == 0)
    }
}
