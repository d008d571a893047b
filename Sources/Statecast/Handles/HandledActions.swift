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
    /// The bytes that they have as JSON.
    let byteCount: Int

    /// The longest key, in bytes, as for clients.
    private static var keyByteCount: Int { 128 }

    /// Writes the actions as JSON, which their session counts, and their key is compared by. Throws
    /// where they are too many, cannot be written, or would carry a chain on that is long enough.
    init(
        _ actions: [Action], as principal: Principal?, key: String?, from caller: CallingWork?,
        _ coder: ActionCoder<Action>, batchLimit: Int, hash: KeyedHash
    ) throws(SessionError) {
        precondition(!actions.isEmpty, "A dispatch is of one action at least.")
        guard actions.count <= batchLimit else {
            throw SessionError(ProblemDetails(.tooManyActions(limit: batchLimit), known: []))
        }
        var json: [UInt8] = []
        do throws(EncodingFailure) {
            for action in actions { try coder.encode(action, into: &json) }
        } catch {
            throw SessionError(.notEncodable)
        }
        list = actions
        types = actions.map { coder.typeNumber(of: $0) ?? -1 }
        self.principal = principal
        byteCount = json.count
        chain = try caller?.enterChain()
        // Keys of handles and keys of clients never meet: what a client sends has no such sign.
        let client = principal.flatMap { hash.client($0) } ?? 0
        if let key {
            guard (1...Self.keyByteCount).contains(key.utf8.count) else { throw .badKey }
            self.key = RequestKey(
                "§\(key)", of: principal?.id ?? "", for: client, body: json.span, by: hash)
        } else {
            // A repeat of the work may dispatch something else by then: the first one counts.
            self.key = caller.map {
                RequestKey(
                    "§\($0.nextKey())", of: principal?.id ?? "", for: client, by: hash)
            }
        }
    }

}
