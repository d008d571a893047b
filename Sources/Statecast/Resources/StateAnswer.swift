import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Sessions
import Sockets

/// The answers that show a projection, to clients that have waited for it or not.
enum StateAnswer {
    /// Answers with the projection's present value, or with the patch that leads to it.
    ///
    /// - Parameter base: the version of the value that a patch is asked for from; nil: none is.
    static func respond(
        with projection: Projection, of session: Session, to exchange: Exchange,
        from base: UInt64? = nil, on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if let base, try isInScope(projection, of: session),
            respond(from: base, projection, of: session, to: exchange, on: loop)
        {
            return
        }
        guard let json = try content(of: projection, in: session) else {
            throw .outOfScope
        }
        let tag = session.tag(projection)
        exchange.respond(body: json, on: loop) { $0.content(tag: tag) }
    }

    /// Answers with operations (RFC 6902 §6) that lead from the value that the client has to that of the
    /// answer's `ETag`, where these are known; `Delta-Base` (RFC 3229 §10.5.1) names the former. A client
    /// that has the present value is told so.
    ///
    /// - Parameter base: the version at which the client has seen its value.
    /// - Returns: false where no operations are known, and nothing was answered.
    static func respond(
        from base: UInt64, _ projection: Projection, of session: Session, to exchange: Exchange,
        on loop: isolated EventLoop
    ) -> Bool {
        switch projection.catchUp(from: base) {
        case .snapshot: return false
        case .upToDate: respondNotModified(session.tag(projection), to: exchange, on: loop)
        case .patch(_, let operations):
            exchange.respond(body: SharedBytes(operations), on: loop) { writer in
                writer.field("Content-Type", "application/json-patch+json")
                writer.field("Cache-Control", "no-store")
                writer.vary(by: "Accept")
                writer.entityTag(session.tag(projection))
                writer.entityTag(session.tag(projection, at: base), as: "Delta-Base")
            }
        }
        return true
    }

    /// Answers that nothing has changed, where `If-None-Match` names the present tag.
    ///
    /// - Parameter variance: the fields of requests by which the answers differ.
    static func respondIfUnchanged(
        since tag: [UInt8], caching: String = "private, no-cache",
        variance: String = "Accept-Encoding", to request: SessionRequest, in bytes: Span<UInt8>,
        on loop: isolated EventLoop
    ) -> Bool {
        guard
            EntityTag.condition(.ifNoneMatch, of: request.head, in: bytes, current: tag) == .matches
        else { return false }
        respondNotModified(tag, caching, variance, to: request.exchange, on: loop)
        return true
    }

    /// Answers that nothing has changed.
    static func respondNotModified(
        _ tag: [UInt8], _ caching: String = "no-store", _ variance: String? = nil,
        to exchange: Exchange, on loop: isolated EventLoop
    ) {
        exchange.respond(.notModified, on: loop) { writer in
            writer.field("Cache-Control", caching)
            if let variance { writer.vary(by: variance) }
            writer.entityTag(tag)
        }
    }

    /// Answers with what has a tag, or that nothing has changed.
    ///
    /// - Parameters:
    ///   - field: of requests, by which the answers differ as by Accept-Encoding.
    ///   - make: makes the body, and a field that belongs to it.
    static func respond(
        to request: SessionRequest, _ tag: [UInt8], type: String = "application/json",
        varyingBy field: String? = nil, in bytes: Span<UInt8>, on loop: isolated EventLoop,
        _ make: () throws(ProblemDetails) -> (NegotiatedBody, field: (String, value: String)?)
    ) throws(ProblemDetails) {
        try Preconditions.check(request.head, in: bytes, tag: tag)
        let variance = field.map { "\($0), Accept-Encoding" } ?? "Accept-Encoding"
        if respondIfUnchanged(since: tag, variance: variance, to: request, in: bytes, on: loop) {
            return
        }
        let made = try make()
        request.exchange.respondNegotiated(
            to: request.head, in: bytes, contentType: type,
            etag: String(decoding: tag, as: UTF8.self), body: made.0, on: loop
        ) { writer in
            writer.field("Cache-Control", "private, no-cache")
            if let field { writer.vary(by: field) }
            if let field = made.field { writer.field(field.0, field.value) }
        }
    }

    /// The projection is in scope; its JSON is made, but not put together.
    static func isInScope(
        _ projection: Projection, of session: Session
    ) throws(ProblemDetails) -> Bool {
        do throws(Refusal) {
            return try session.isInScope(projection)
        } catch {
            throw ProblemDetails(error)
        }
    }

    /// The JSON of a projection; nil where it is out of scope.
    static func content(
        of projection: Projection, in session: Session
    ) throws(ProblemDetails) -> SharedBytes? {
        do throws(Refusal) {
            return try session.content(of: projection)
        } catch {
            throw ProblemDetails(error)
        }
    }
}
