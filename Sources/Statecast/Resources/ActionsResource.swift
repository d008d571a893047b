import HTTPMessages
import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// `POST M/sessions/{id}/actions` (protocol §4).
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
        try performer.answers.answer(reply, to: wishes, of: session, on: loop)
    }

    /// A request may act on the present version: `If-Match` names it, or is not there.
    static func matches(
        _ request: SessionRequest, in bytes: Span<UInt8>, _ present: () -> Token
    ) -> Bool {
        !request.head.has(.ifMatch) || meetsCondition(request, in: bytes, present())
    }

    // Not inlined: the caller would copy the head for nothing.
    @inline(never)
    private static func meetsCondition(
        _ request: SessionRequest, in bytes: Span<UInt8>, _ token: Token
    ) -> Bool {
        let condition = EntityTag.condition(.ifMatch, of: request.head, in: bytes) { tag in
            Token(tag.string(in: bytes)) == token
        }
        return condition.map { $0 == .matches } ?? true
    }

    /// The idempotency key of a request, with a print of the body.
    ///
    /// - Parameter use: what the body is for, other than actions.
    func key(
        of request: SessionRequest, for use: String = "", in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> RequestKey? {
        guard let field = request.head.value(.idempotencyKey) else { return nil }
        guard let key = IdempotencyKey.parse(field, in: bytes) else {
            throw .badParameter("Idempotency-Key", "1 to 128 visible characters.")
        }
        let print = BodyFingerprint.of(bytes.extracting(request.body), for: use)
        return RequestKey(key, of: request.principal.id, print: print)
    }

    /// The wishes of a request about its answer.
    func wishes(
        of request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> ActionRequest {
        let sees =
            request.head.has(.prefer) && Self.prefersState(request, in: bytes)
            && request.caller.roles.contains(Role.observe)
        let hasQuery = !request.head.query.isEmpty
        return ActionRequest(
            exchange: request.exchange, viewer: sees ? request.principal : nil,
            settle: hasQuery ? try settle(of: request, in: bytes) : nil)
    }

    // Neither is inlined: the caller would copy the head for nothing.
    @inline(never)
    private static func prefersState(_ request: SessionRequest, in bytes: Span<UInt8>) -> Bool {
        Preferences(request.head, in: bytes).returnsRepresentation
    }

    @inline(never)
    private func settle(
        of request: SessionRequest, in bytes: Span<UInt8>
    ) throws(ProblemDetails) -> Duration? {
        guard let text = Query(request.head.query, in: bytes)["settle"] else { return nil }
        return try context.limits.wait(text, of: "settle")
    }
}
