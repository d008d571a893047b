import HTTPMessages
import HTTPServer
import HTTPTypes
import Redux
import Sessions
import Sockets

/// `GET M/sessions/{id}/state?version=17`: the state as it was, to each as the views of the
/// application show that state.
struct PastStateResource {
    func get(
        _ text: String, _ request: SessionRequest, of session: Session, _ query: Query,
        in bytes: Span<UInt8>, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        let wish = try Selection.Wish(query, for: request.principal, in: session.store)
        let version = try Token.version(
            text, of: "version", epoch: session.epoch, oldest: session.oldestVersion
        )
        let (projection, tag) = try Self.projection(at: version, wish, of: session)
        try Preconditions.check(request.head, in: bytes, tag: tag)
        guard let json = projection.json else { throw .outOfScope }
        let attempt = StateAnswer.respondIfUnchanged(since: tag, to: request, in: bytes, on: loop)
        if attempt == .answered { return }
        request.exchange.respondNegotiated(
            to: request.head, in: bytes, contentType: "application/json",
            etag: String(decoding: tag, as: UTF8.self), body: NegotiatedBody(json), on: loop
        ) { writer in
            writer.field("Cache-Control", "private, no-cache")
        }
    }

    private static func projection(
        at version: UInt64, _ wish: Selection.Wish, of session: Session
    ) throws(ProblemDetails) -> (Projection, tag: [UInt8]) {
        switch try past(at: version, of: session) {
        case .known(let visible, let json):
            let projection = session.projection(
                of: json, at: visible, view: wish.view, wish.pointer, for: wish.viewer)
            guard let projection else { throw .versionNotShown }
            return (projection, session.tag(projection, at: visible))
        case .gone(let oldest): throw .versionGone(oldest: oldest)
        case .future: throw .versionNotReached
        }
    }

    private static func past(
        at version: UInt64, of session: Session
    ) throws(ProblemDetails) -> PastState {
        do throws(Refusal) {
            return try session.state(at: version)
        } catch {
            throw ProblemDetails(error)
        }
    }
}
