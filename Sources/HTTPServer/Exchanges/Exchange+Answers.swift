package import HTTPMessages
internal import HTTPTypes
package import Sockets

extension Exchange {
    /// Answers with a problem.
    package func respond(_ problem: ProblemDetails, on loop: isolated EventLoop) {
        respond(problem, on: loop) { _ in }
    }

    /// Answers with a problem and further fields.
    package func respond(
        _ problem: ProblemDetails, on loop: isolated EventLoop,
        fields: (inout ResponseWriter) -> Void
    ) {
        respond(problem.status, on: loop) { writer in
            fields(&writer)
            problem.fill(&writer)
        }
    }

    /// Answers 405 (RFC 9110 §15.5.6); `allow` is the list of methods, `GET, HEAD`.
    package func refuseMethod(allow: String, on loop: isolated EventLoop) {
        respond(.methodNotAllowed(allow: allow), on: loop) { $0.field("Allow", allow) }
    }

    /// Answers OPTIONS: 204 with the methods of the resource (RFC 9110 §9.3.7).
    package func respondOptions(allow: String, on loop: isolated EventLoop) {
        respond(.noContent, on: loop) { $0.field("Allow", allow) }
    }

    /// Answers with a body, compressed where the client prefers that and the body is long enough
    /// to pay for it; `bytes` are those of the request.
    ///
    /// `etag` is the opaque tag, without quotation marks: on a compressed answer it is weak, as
    /// its bytes are not those of the plain one. `fields` adds further fields, not Vary. Nothing is
    /// compressed for HEAD, whose Content-Length is left out where it is not known (RFC 9110
    /// §9.3.2).
    package func respondNegotiated(
        to head: RequestHead, in bytes: Span<UInt8>, contentType: String, etag: String? = nil,
        body: NegotiatedBody, on loop: isolated EventLoop,
        fields: (inout ResponseWriter) -> Void = { _ in }
    ) {
        let isCompressed =
            body.plain.count >= context.limits.compressionThresholdByteCount
            && AcceptField.prefers(coding: "gzip", head, in: bytes)
        func fill(_ writer: inout ResponseWriter) {
            writer.field("Content-Type", contentType)
            writer.vary(by: "Accept-Encoding")
            if isCompressed { writer.field("Content-Encoding", "gzip") }
            if let etag { writer.field("ETag", isCompressed ? "W/\"\(etag)\"" : "\"\(etag)\"") }
            fields(&writer)
        }
        guard isCompressed else { return respond(body: body.plain, on: loop, fill) }
        guard isHead, body.compressed == nil else {
            return respond(body: body.compress(), on: loop, fill)
        }
        respond(.ok, on: loop) { writer in
            fill(&writer)
            writer.endHead()
        }
    }
}
