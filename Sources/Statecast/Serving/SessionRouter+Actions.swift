import HTTPMessages
import HTTPServer
import HTTPTypes
import Sockets

extension SessionRouter {
    /// `POST M/sessions/{id}/actions` (protocol §4).
    func post(
        _ request: SessionRequest, to session: Session, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) {
        let head = request.head
        let exchange = request.exchange
        var action = ActionRequest(exchange: exchange)
        if let field = head.value(.idempotencyKey) {
            guard let key = IdempotencyKey.parse(field, in: bytes) else {
                return exchange.respond(
                    .badParameter("Idempotency-Key", "1 to 128 visible characters."), on: loop)
            }
            let body = bytes.extracting(request.body)
            action.key = ActionRequest.Key(
                key, of: request.principal, print: StableHash.of(body))
        }
        if head.value(.prefer) != nil {
            action.returnsState = Preferences(head, in: bytes).returnsRepresentation
        }
        if !head.query.isEmpty {
            let query = Query(head.query, in: bytes)
            if let settle = query["settle"] {
                guard let seconds = waitSeconds(settle) else {
                    return exchange.respond(badWait("settle"), on: loop)
                }
                action.settle = seconds
            }
        }
        action.isConditional = head.value(.ifMatch) != nil
        session.post(
            bytes.extracting(request.body), action,
            ifMatch: { token in
                EntityTag.condition(.ifMatch, of: head, in: bytes) { tag in
                    Token(tag.string(in: bytes)) == token
                } == .matches
            }, context, on: loop)
    }

    /// A `wait` or `settle`: seconds from 0 to the limit, a fraction allowed.
    func waitSeconds(_ text: String) -> Duration? {
        let (limit, _) = context.limits.waitDuration.components
        guard let seconds = Double(text), seconds >= 0, seconds <= Double(limit) else {
            return nil
        }
        return .seconds(seconds)
    }

    func badWait(_ name: String) -> ProblemDetails {
        let (seconds, _) = context.limits.waitDuration.components
        return .badParameter(name, "seconds from 0 to \(seconds).")
    }
}

extension ProblemDetails {
    static let jsonExpected = ProblemDetails(
        .unsupportedMediaType, code: "json-expected",
        detail: "Actions are sent as application/json.")
}
