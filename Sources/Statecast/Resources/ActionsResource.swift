import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// `POST M/sessions/{id}/actions` (protocol §4), and `PUT M/sessions/{id}/state`, which sets the state
/// by hand, for the role *admin*.
struct ActionsResource {
    let performer: StepPerformer
    let context: SessionContext

    /// Has a session decide about the actions in a body, and answers.
    func post(
        _ request: SessionRequest, to session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let key = try key(of: request, in: bytes)
        let wishes = try wishes(of: request, in: bytes)
        let batchLimit = context.limits.batchCount
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        let body = bytes.extracting(request.body)
        let reply: Reply
        do throws(Refusal) {
            reply = try session.submit(
                body.count, key: key, ifMatch: { Self.matches(request, in: bytes, $0) }, at: now
            ) { (store, append, memory) throws(Refusal) in
                try store.submit(
                    body, by: request.principal, at: now, batchLimit: batchLimit, in: memory,
                    append)
            }
        } catch {
            performer.perform(session, on: loop)
            throw ProblemDetails(error, known: session.actions?.knownTypes ?? [])
        }
        performer.perform(session, on: loop)
        try performer.answer(reply, to: wishes, of: session, on: loop)
    }

    /// Has a session take the state in a body over, and answers.
    func put(
        _ request: SessionRequest, to session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let wishes = try wishes(of: request, in: bytes)
        let tag = session.token.bytes
        if EntityTag.condition(.ifNoneMatch, of: request.head, in: bytes, current: tag) == .matches
        {
            throw .preconditionFailed.with(tag: tag)
        }
        let key = try key(of: request, for: "state", in: bytes)
        let now = Timestamp(milliseconds: loop.wallClockMilliseconds)
        let body = bytes.extracting(request.body)
        let reply: Reply
        do throws(Refusal) {
            reply = try session.submit(
                body.count, key: key, ifMatch: { Self.matches(request, in: bytes, $0) }, at: now
            ) { (store, append, _) throws(Refusal) in
                try store.replaceState(by: body, of: request.principal, at: now, append)
            }
        } catch {
            performer.perform(session, on: loop)
            if case .unreadable = error { throw ProblemDetails(error) }
            throw ProblemDetails(error).with(tag: session.token.bytes)
        }
        performer.perform(session, on: loop)
        if case .now(.failure(.rejected(let rejection, _))) = reply {
            throw ProblemDetails(rejection, in: nil).with(tag: session.token.bytes)
        }
        try performer.answer(reply, to: wishes, of: session, on: loop)
    }

    /// A request may act on the present version: `If-Match` names it, or is not there.
    private static func matches(
        _ request: SessionRequest, in bytes: Span<UInt8>, _ present: () -> Token
    ) -> Bool {
        guard request.head.has(.ifMatch) else { return true }
        let token = present()
        let condition = EntityTag.condition(.ifMatch, of: request.head, in: bytes) { tag in
            Token(tag.string(in: bytes)) == token
        }
        return condition.map { $0 == .matches } ?? true
    }

    /// The idempotency key of a request, with a print of the body.
    ///
    /// - Parameter use: what the body is for, other than actions.
    private func key(
        of request: SessionRequest, for use: String = "", in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> RequestKey? {
        guard let field = request.head.value(.idempotencyKey) else { return nil }
        guard let key = field.idempotencyKey(in: bytes) else {
            throw .badParameter("Idempotency-Key", "1 to 128 visible characters.")
        }
        let print = RequestKey.print(of: bytes.extracting(request.body), for: use)
        return RequestKey(key, of: request.principal.id, print: print)
    }

    /// The wishes of a request about its answer.
    private func wishes(
        of request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> ActionRequest {
        var wishes = ActionRequest(exchange: request.exchange)
        if request.head.has(.prefer), request.caller.roles.contains(Role.observe),
            Preferences(request.head, in: bytes).returnsRepresentation
        {
            wishes.viewer = request.principal
        }
        if !request.head.query.isEmpty, let text = Query(request.head.query, in: bytes)["settle"] {
            wishes.settle = try context.limits.wait(text, of: "settle")
        }
        return wishes
    }
}

extension RequestKey {
    /// A 64-bit print of a body that is the same in every process (FNV-1a): it tells apart the bodies
    /// that one client has sent, and keeps no client from making two that have the same.
    ///
    /// - Parameter use: what a body is for, other than actions.
    static func print(of bytes: Span<UInt8>, for use: String = "") -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in use.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}
