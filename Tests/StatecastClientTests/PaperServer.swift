import Bytes
import ClientWire
import Redux
import StateCoding
@testable import StatecastClient

/// A server of one session as a value: it keeps what it is sent, remembers keys, and shows by patches.
struct PaperServer {
    private(set) var epoch = "k3f9"
    var sees = Sight.state
    var schema = 1
    private(set) var board = Board()
    /// The JSON of each version.
    private var texts: [[UInt8]] = []
    private var answers: [String: ClientAnswer] = [:]
    private let coder: ActionCoder<BoardAction>

    init() throws {
        coder = try ActionCoder()
        texts = [try Self.json(board)]
    }

    var version: Int { texts.count - 1 }

    /// Begins another epoch, with what it has kept: a history was rewritten.
    mutating func restart() throws {
        epoch += "n"
        texts = [try Self.json(board)]
    }

    static func json(_ board: Board) throws -> [UInt8] {
        var output: [UInt8] = []
        try StateEncoder().encode(board, into: &output)
        return output
    }

    static func answer(_ status: Int, _ text: String, _ fields: [String: String] = [:])
        -> ClientAnswer
    {
        ClientAnswer(status: status, fields: fields, body: Array(text.utf8))
    }

    static func problem(
        _ status: Int, _ code: String, _ fields: [String: String] = [:]
    ) -> ClientAnswer {
        answer(
            status, #"{"type":"/problems/\#(code)","status":\#(status),"detail":"\#(code)"}"#,
            fields)
    }

    func description(of you: String) -> ClientAnswer {
        Self.answer(
            200,
            """
            {"id":"board","token":"\(epoch)-\(version)","you":{"id":"\(you)","roles":["act"]},\
            "sees":"\(sees.rawValue)","schema":\(schema),"unpredicted":["closed"]}
            """)
    }

    /// The answer to a POST.
    ///
    /// - Parameter isBusy: there is no room for anything new now.
    mutating func take(
        _ request: ClientRequest, by you: String, isBusy: Bool = false
    ) throws -> ClientAnswer {
        let key = request.fields["Idempotency-Key"] ?? ""
        if let known = answers[key] { return known }
        if isBusy { return Self.problem(503, "problems/journal-busy", ["retry-after": "1"]) }
        let body = request.body ?? []
        let isBatch = ActionCoder<BoardAction>.isBatch(body.span)
        let actions = try isBatch ? coder.decodeBatch(body.span) : [coder.decode(body.span)]
        var (next, after, results) = (board, texts, [String]())
        for action in actions.map(\.action) {
            let step = Step(
                by: Principal(you), at: Timestamp(milliseconds: 7), version: UInt64(after.count),
                session: .local, epoch: epoch)
            let before = next
            do throws(Rejection) {
                try BoardModel.reduce(&next, action, step)
            } catch {
                let etag = ["etag": "\"\(epoch)-\(version)\""]
                return Self.problem(409, "problems/rejected/\(error.code)", etag)
            }
            results.append(#"{"version":\#(after.count),"changed":\#(next != before)}"#)
            after.append(try Self.json(next))
        }
        let isChange = next != board
        (board, texts) = (next, after)
        let rest = isBatch ? #","results":[\#(results.joined(separator: ","))]"# : ""
        let members =
            #""version":\#(version),"token":"\#(epoch)-\#(version)","changed":\#(isChange)"#
        answers[key] = Self.answer(200, "{\(members)\(rest)}")
        return answers[key] ?? Self.answer(500, "")
    }

    /// What brings a stream to the present version: nil where it is there.
    func event(behind id: String?) -> [UInt8]? {
        let token = id.flatMap { Token($0) }
        let now = "\(epoch)-\(version)"
        guard let token, token.epoch == epoch, token.version <= version else {
            let state = String(decoding: texts[version], as: UTF8.self)
            let members = #""version":\#(version),"sees":"\#(sees.rawValue)","schema":\#(schema)"#
            return Array(
                "event: snapshot\nid: \(now)\ndata: {\(members),\"state\":\(state)}\n\n".utf8)
        }
        guard token.version < version else { return nil }
        let (old, new) = (texts[Int(token.version)], texts[version])
        guard let patch = JSONPatch.difference(from: old.span, to: new.span) else {
            return Array("id: \(now)\n\n".utf8)
        }
        let operations = String(decoding: patch.operations, as: UTF8.self)
        let members = #""from":\#(token.version),"version":\#(version),"ops":\#(operations)"#
        return Array("event: patch\nid: \(now)\ndata: {\(members)}\n\n".utf8)
    }
}
