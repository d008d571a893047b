import Bytes
import HTTPMessages
import HTTPServer
import HTTPTypes
import Sessions
import Sockets

extension Exchange {
    /// Answers with a projection's present value, or with the patch that leads to it.
    ///
    /// - Parameter base: the version of the value that a patch is asked for from; nil: none is.
    func show(
        _ projection: Projection, of session: Session, from base: UInt64?,
        on loop: isolated EventLoop
    ) throws(ProblemDetails) {
        if try session.shows(projection),
            showChange(of: projection, session, from: base, on: loop)
        {
            return
        }
        guard let json = try session.json(of: projection) else { throw .outOfScope }
        let tag = session.tag(projection)
        respond(body: json, on: loop) { $0.content(tag: tag) }
    }

    /// Answers with operations (RFC 6902 §6) that lead from the value that the client has to that of the
    /// answer's `ETag`, where these are known; `Delta-Base` (RFC 3229 §10.5.1) names the former. A client
    /// that has the present value is told so.
    ///
    /// - Parameter base: the version at which the client has seen its value; nil: no patch is asked for.
    /// - Returns: false where no operations are known, and nothing was answered.
    func showChange(
        of projection: Projection, _ session: Session, from base: UInt64?,
        on loop: isolated EventLoop
    ) -> Bool {
        guard let base else { return false }
        switch projection.catchUp(from: base) {
        case .snapshot: return false
        case .upToDate: respondNotModified(session.tag(projection), on: loop)
        case .patch(_, let operations):
            respond(body: SharedBytes(operations), on: loop) { writer in
                writer.content("application/json-patch+json")
                writer.vary(by: "Accept")
                writer.entityTag(session.tag(projection))
                writer.entityTag(session.tag(projection, at: base), as: "Delta-Base")
            }
        }
        return true
    }

    /// Answers that nothing has changed.
    ///
    /// - Parameter variance: the fields of requests by which the answers differ.
    func respondNotModified(
        _ tag: [UInt8], _ caching: String = "no-store", variance: String? = nil,
        on loop: isolated EventLoop
    ) {
        respond(.notModified, on: loop) { writer in
            writer.field("Cache-Control", caching)
            if let variance { writer.vary(by: variance) }
            writer.entityTag(tag)
        }
    }
}

extension SessionRequest {
    /// `If-None-Match` names a tag.
    func hasSeen(_ tag: [UInt8], in bytes: Span<UInt8>) -> Bool {
        EntityTag.condition(.ifNoneMatch, of: head, in: bytes, current: tag) == .matches
    }

    /// Throws where a condition does not hold on what is there (RFC 9110 §13.2.2), with its tag:
    /// If-Match for all requests, If-None-Match for those that would change something. The state's own
    /// If-None-Match asks for 304.
    func checkConditions(
        in bytes: Span<UInt8>, tag: @autoclosure () -> [UInt8]
    ) throws(ProblemDetails) {
        let isUnsafe = !head.method.isSafe
        guard head.has(.ifMatch) || isUnsafe && head.has(.ifNoneMatch) else { return }
        let tag = tag()
        let ifMatch = EntityTag.condition(.ifMatch, of: head, in: bytes, current: tag)
        if let ifMatch, ifMatch != .matches {
            throw .preconditionFailed.with(tag: tag)
        }
        guard isUnsafe, hasSeen(tag, in: bytes) else { return }
        let problem = head.method == .put ? ProblemDetails.sessionExists : .preconditionFailed
        throw problem.with(tag: tag)
    }

    /// Answers with what has a tag, or that nothing has changed.
    ///
    /// - Parameters:
    ///   - field: of requests, by which the answers differ as by Accept-Encoding.
    ///   - make: makes the body, and a field that belongs to it; nil where it has answered by itself.
    func respond(
        _ tag: [UInt8], type: String = "application/json", caching: String = "private, no-cache",
        varyingBy field: String? = nil, in bytes: Span<UInt8>, on loop: isolated EventLoop,
        _ make: () throws(ProblemDetails) -> (NegotiatedBody, field: (String, value: String)?)?
    ) throws(ProblemDetails) {
        try checkConditions(in: bytes, tag: tag)
        let variance = field.map { "\($0), Accept-Encoding" } ?? "Accept-Encoding"
        if hasSeen(tag, in: bytes) {
            return exchange.respondNotModified(tag, caching, variance: variance, on: loop)
        }
        guard let made = try make() else { return }
        exchange.respondNegotiated(
            to: head, in: bytes, contentType: type, etag: String(decoding: tag, as: UTF8.self),
            body: made.0, on: loop
        ) { writer in
            writer.field("Cache-Control", caching)
            if let field { writer.vary(by: field) }
            if let field = made.field { writer.field(field.0, field.value) }
        }
    }
}

extension Session {
    /// The projection is in scope; its JSON is made, but not put together.
    func shows(_ projection: Projection) throws(ProblemDetails) -> Bool {
        try ProblemDetails.refusing { () throws(Refusal) in try isInScope(projection) }
    }

    /// The JSON of a projection; nil where it is out of scope.
    func json(of projection: Projection) throws(ProblemDetails) -> SharedBytes? {
        try ProblemDetails.refusing { () throws(Refusal) in try content(of: projection) }
    }
}

extension ProblemDetails {
    /// Does what a session may refuse.
    static func refusing<Value>(
        _ body: () throws(Refusal) -> Value
    ) throws(ProblemDetails) -> Value {
        do throws(Refusal) { return try body() } catch { throw ProblemDetails(error) }
    }
}
