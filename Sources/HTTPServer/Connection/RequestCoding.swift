internal import Bytes
internal import Gzip
internal import HTTPMessages
internal import Sockets
internal import HTTPTypes

/// The content coding of request bodies (RFC 9110 §8.4).
enum RequestCoding {
    /// Gives the plain body of a request to `handle`: the body itself, where it has no coding. One
    /// that cannot be decoded, or is too large for the memory that is left, goes to `refuse`.
    @inline(__always)
    static func decode(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, from address: IPAddress,
        _ context: LoopContext, handle: (Span<UInt8>, Range<Int>) -> RequestAssembler.Delivery,
        orRefuse refuse: (ProblemDetails) -> Void
    ) -> RequestAssembler.Delivery {
        guard context.shared.isTooLarge(body.count) || head.value(.contentEncoding) != nil else {
            return handle(bytes, body)
        }
        let limit = context.bodyLimit(of: head, in: bytes, from: address)
        switch decoded(head, in: bytes, body: body, limit: limit, context.shared) {
        case .success(let message):
            return handle(message.span, head.byteCount..<message.count)
        case .failure(let problem):
            refuse(problem)
            return .handled
        }
    }

    /// As below. Where memory is short, no large body is taken, nor made of a small one.
    private static func decoded(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, limit: Int,
        _ shared: ServerShared
    ) -> Result<[UInt8], ProblemDetails> {
        guard !shared.isTooLarge(body.count) else { return .failure(.shortOfMemory) }
        let most = min(limit, shared.largestRequestByteCount)
        let isShort = most < limit
        return decoded(head, in: bytes, body: body, limit: most).mapError { failure in
            isShort && failure.status == .contentTooLarge ? .shortOfMemory : failure
        }
    }

    /// Head and plain body of a request with Content-Encoding: `gzip` is taken off within the
    /// limit of bodies, `identity` is nothing, another coding is refused.
    static func decoded(
        _ head: RequestHead, in bytes: Span<UInt8>, body: Range<Int>, limit: Int
    ) -> Result<[UInt8], ProblemDetails> {
        var message = [UInt8](copying: bytes.extracting(..<head.byteCount))
        let coded = bytes.extracting(body)
        switch coding(of: head, in: bytes) {
        case "identity", "": message.append(copying: coded)
        case "gzip", "x-gzip":
            do throws(DecompressionFailure) {
                let most = min(limit, max(leastInflatedByteCount, largestRatio * coded.count))
                message += try gunzip(coded, limit: most)
            } catch {
                guard case .tooLong = error else { return .failure(.malformedCoding) }
                return .failure(.bodyTooLarge(limit: limit))
            }
        default: return .failure(.unknownCoding)
        }
        return .success(message)
    }

    /// A body may become so many times larger, so that the work of reading it is in proportion to
    /// what was sent; JSON becomes five to twenty times larger.
    static let largestRatio = 100
    /// And as large as this in any case.
    static let leastInflatedByteCount = 64 * 1024

    /// The problem that the head alone gets a request refused for, if any.
    static func refusal(of head: RequestHead, in bytes: Span<UInt8>) -> ProblemDetails? {
        switch coding(of: head, in: bytes) {
        case "identity", "", "gzip", "x-gzip": nil
        default: .unknownCoding
        }
    }

    private static func coding(of head: RequestHead, in bytes: Span<UInt8>) -> String {
        var codings: [String] = []
        head.forEachValue(.contentEncoding, in: bytes) {
            codings.append($0.string(in: bytes).lowercased())
        }
        return codings.joined(separator: ", ")
    }
}

extension ProblemDetails {
    /// A body that is not what its Content-Encoding says.
    fileprivate static let malformedCoding = ProblemDetails(
        .badRequest, code: "malformed-content-coding",
        detail: "The body is not valid gzip data.")
}
