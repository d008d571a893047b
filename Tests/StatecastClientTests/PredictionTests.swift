import ClientWire
import Redux
import StateCoding
import Testing

@testable import StatecastClient

@Suite struct `What a client shows before the answer` {
    private static let beginning = Token(epoch: "k3f9", version: 4)
    private static let now = Timestamp(milliseconds: 5)

    private func makePrediction(
        _ state: Board = Board(), unpredicted: [String] = []
    ) throws -> Prediction<BoardModel> {
        var prediction = try Prediction<BoardModel>(mark: "m")
        prediction.confirm(state, at: Self.beginning)
        prediction.foresight = .init(
            you: Principal("ada"), session: .local, unpredicted: unpredicted)
        return prediction
    }

    @Test func `is what the server's reducer makes of it, by this client and its clock`() throws {
        var prediction = try makePrediction()
        _ = try prediction.add(.written(text: "tea"), at: Self.now)
        #expect(prediction.shown?.notes.first == .init(id: "~m.1-5", owner: "ada", text: "tea"))
        _ = try prediction.add(.stroked, at: Self.now)
        #expect(prediction.shown?.strokes == 1)
    }

    @Test func `keeps provisional ids until the real ones are known, and renames what names them`()
        throws
    {
        var prediction = try makePrediction()
        let written = try prediction.add(.written(text: "tea"), at: Self.now)
        let rewritten = try prediction.add(.rewritten(id: "~m.1-5", text: "milk"), at: Self.now)
        _ = prediction.send(nil, upTo: 1)
        // Somebody else was quicker, and the state may have the note in it already.
        var others = Board()
        others.strokes = 9
        prediction.confirm(others, at: Token(epoch: "k3f9", version: 7))
        #expect(prediction.shown?.notes.map(\.id) == ["~m.1-5"] && prediction.shown?.strokes == 0)
        prediction.keep([(written, .kept(Token(epoch: "k3f9", version: 8)))])
        #expect(prediction.shown?.notes.map(\.id) == ["k3f9-8"] && prediction.shown?.strokes == 9)
        #expect(prediction.shown?.notes.first?.text == "milk")
        let json = prediction.pending.first { $0.number == rewritten }?.json ?? []
        #expect(String(decoding: json, as: UTF8.self).contains(#""id":"k3f9-8""#))
        // One that names it later, from what was shown then.
        _ = try prediction.add(.wiped(id: "~m.1-5"), at: Self.now)
        #expect(prediction.shown?.notes == [])
    }

    @Test func `goes with a refusal, and so does what names what was refused`() throws {
        var prediction = try makePrediction()
        let written = try prediction.add(.written(text: "tea"), at: Self.now)
        let rewritten = try prediction.add(.rewritten(id: "~m.1-5", text: "milk"), at: Self.now)
        _ = try prediction.add(.stroked, at: Self.now)
        _ = prediction.send(nil, upTo: 1)
        prediction.end(written, as: .success(nil), at: Self.beginning)
        #expect(prediction.nextEnd()?.number == written)
        #expect(prediction.nextEnd()?.number == rewritten && prediction.nextEnd() == nil)
        var expected = Board()
        expected.strokes = 1
        #expect(prediction.shown == expected)
    }

    @Test func `is nothing of chance, of what is marked, and of what the reducer refuses`() throws {
        var state = Board()
        state.notes = (0..<Board.limit).map { .init(id: "\($0)", owner: nil, text: "") }
        var prediction = try makePrediction(state, unpredicted: ["closed"])
        for action in [BoardAction.drawn, .closed, .written(text: "too much")] {
            _ = try prediction.add(action, at: Self.now)
        }
        #expect(prediction.shown == state && prediction.pending.count == 3)
    }

    /// The reducer would show what the view hides: that the board is closed.
    @Test(arguments: [("view", 1), ("state", 2)])
    func `is nothing where the server shows a view, or has another schema`(
        sees: String, schema: Int
    ) throws {
        var world = try PaperWorld(seed: 1, clients: 1, losesPercent: 0)
        world.server.sees = try #require(Sight(rawValue: sees))
        world.server.schema = schema
        world.post(.wake, to: 0, in: 7_999)
        _ = try world.run(until: 8_000)
        try world.send(.written(text: "tea"), by: 0)
        #expect(world.clients[0].machine.state?.notes == [])
        #expect(try world.run())
        #expect(world.clients[0].machine.state?.notes.map(\.text) == ["tea"])
    }
}
