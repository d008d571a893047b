import HTTPServer
import Journaling
import Redux
import Sessions
import StateCoding

/// Actions on their way from a handle to their session.
struct HandledActions<Action: ActionGroup>: Sendable {
    let list: [Action]
    /// The numbers of their types; −1 for one that is not listed.
    let types: [Int]
    /// The one on whose behalf they are dispatched; nil: the server itself.
    let principal: Principal?
    /// The chain of causes in other sessions that has led to them.
    let chain: OuterChain?
    let key: RequestKey?
    /// As it was given; and whether it is that of a piece of work, of which a repeat may dispatch something
    /// else: the first one counts.
    private let (keyText, isOfWork): (String?, Bool)
    /// The bytes that they have as JSON.
    let byteCount: Int

    /// Writes the actions as JSON, which their session counts, and their key is compared by. Throws
    /// where they are too many, cannot be written, or would carry a chain on that is long enough.
    init(
        _ actions: [Action], as principal: Principal?, key: String?, from caller: CallingWork?,
        to session: SessionName, _ coder: ActionCoder<Action>, batchLimit: Int, hash: KeyedHash
    ) throws(SessionError) {
        try Self.check(actions.count, key: key, batchLimit: batchLimit)
        let json = try Self.json(of: actions, coder)
        let chain = try caller?.enterChain()
        self.init(
            actions, json, as: principal, key: key ?? caller?.nextKey(to: session),
            isOfWork: key == nil, after: chain, coder, hash: hash)
    }

    /// What the handle of another server has sent, which may be another build.
    init(
        _ sent: SentDispatch, _ coder: ActionCoder<Action>, batchLimit: Int, hash: KeyedHash
    ) throws(SessionError) {
        let key = sent.isOfWork ? nil : sent.key
        try Self.check(sent.actions.count, key: key, batchLimit: batchLimit)
        var actions: [Action] = []
        do throws(ActionFailure) {
            for text in sent.actions {
                actions.append(try coder.decodeLogged(Array(text.utf8).span).action)
            }
        } catch {
            throw SessionError(.malformed(error))
        }
        self.init(
            actions, try Self.json(of: actions, coder), as: sent.by, key: sent.key,
            isOfWork: sent.isOfWork,
            after: sent.depth.map { OuterChain(depth: Int($0), tally: ChainTally()) }, coder,
            hash: hash)
    }

    /// - Parameter key: as it was given; work makes its own.
    private static func check(
        _ count: Int, key: String?, batchLimit: Int
    ) throws(SessionError) {
        // No handle sends none.
        guard count > 0, count <= batchLimit else {
            throw SessionError(ProblemDetails(.tooManyActions(limit: batchLimit), known: []))
        }
        // As for clients.
        guard 1...128 ~= key?.utf8.count ?? 1 else { throw .badKey }
    }

    private init(
        _ actions: [Action], _ json: [UInt8], as principal: Principal?, key text: String?,
        isOfWork: Bool, after chain: OuterChain?, _ coder: ActionCoder<Action>, hash: KeyedHash
    ) {
        list = actions
        types = actions.map { coder.typeNumber(of: $0) ?? -1 }
        (self.principal, self.chain, byteCount) = (principal, chain, json.count)
        (keyText, self.isOfWork) = (text, isOfWork)
        let client = principal.flatMap { hash.client($0) } ?? 0
        let body = isOfWork ? [] : json
        // Keys of handles and keys of clients never meet: what a client sends has no such sign.
        key = text.map {
            RequestKey("§\($0)", of: principal?.id ?? "", for: client, body: body.span, by: hash)
        }
    }

    private static func json(
        of actions: [Action], _ coder: ActionCoder<Action>
    ) throws(SessionError) -> [UInt8] {
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            for action in actions { try coder.encode(action, into: &json) }
        } catch {
            throw SessionError(.notEncodable)
        }
        return json
    }

    /// As it is sent to the server that has the session.
    func sent(_ coder: ActionCoder<Action>) throws(SessionError) -> [UInt8] {
        do throws(EncodingFailure) {
            var texts: [String] = []
            for action in list {
                texts.append(String(decoding: try coder.openBytes(of: action), as: UTF8.self))
            }
            let dispatch = SentDispatch(
                actions: texts, by: principal, key: keyText, isOfWork: isOfWork,
                depth: chain.map { UInt16(clamping: $0.depth) })
            return try StateEncoder().bytes(of: dispatch)
        } catch {
            throw SessionError(.notEncodable)
        }
    }
}
