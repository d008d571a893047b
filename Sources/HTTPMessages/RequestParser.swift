import Bytes

/// Reads one request head (RFC 9112 §§2–7) out of what a connection has received so far.
///
/// The same bytes lead to the same result however they are cut, in time linear in their number;
/// nothing is allocated. Strict where leniency lets requests be smuggled: lines end with CRLF,
/// nothing is folded, no white space before a colon, one framing only.
package struct RequestParser: Sendable, BitwiseCopyable {
    private enum Line {
        case incomplete
        case complete(next: Int)
        case end(next: Int)
    }

    /// The head, as far as it is parsed; whole once `parse` has said so.
    package private(set) var head = RequestHead()
    private let limits: RequestLimits
    /// The beginning of the line that is not complete yet.
    private var lineStart = 0
    /// Up to where no line feed was found in it.
    private var scanned = 0
    private var lineCount = 0
    private var fieldsStart = 0

    /// A parser for one head; a new one for the next.
    package init(limits: RequestLimits = RequestLimits()) {
        self.limits = limits.representable
    }

    /// The method is HEAD, as far as the request line is there: a refusal then has no
    /// content (RFC 9110 §9.3.2). `bytes` are those that were parsed.
    package func isHead(_ bytes: Span<UInt8>) -> Bool {
        guard lineCount == 0 else { return head.method == .head }
        guard lineStart + 5 <= bytes.count, bytes[lineStart + 4] == .space else {
            return false
        }
        return RequestMethod.named(Slice(lineStart..<lineStart + 4), in: bytes) == .head
    }

    /// Goes on with all that was received since the beginning of the request; true once the head is
    /// whole. Where it throws, the connection is closed after the answer.
    package mutating func parse(_ bytes: Span<UInt8>) throws(RequestError) -> Bool {
        while true {
            guard lineStart < bytes.count, findLineFeed(in: bytes) else {
                try refuseLongPart(bytes.count)
                return false
            }
            switch try parseLine(bytes) {
            case .incomplete:
                scanned = bytes.count
                try refuseLongPart(bytes.count)
                return false
            case .complete(let next):
                lineStart = next
                scanned = next
                guard next <= limits.headByteCount else { throw headTooLong }
            case .end(let next):
                guard next <= limits.headByteCount else { throw headTooLong }
                head.fields = Slice(fieldsStart..<lineStart)
                head.byteCount = next
                try head.checkHost(in: bytes)
                try head.frameBody(in: bytes)
                head.readConnection(in: bytes)
                return true
            }
        }
    }

    private var headTooLong: RequestError {
        RequestError(
            status: 431, code: "head-too-large",
            detail: "The request's fields are larger than \(limits.headByteCount) bytes.",
            limit: limits.headByteCount)
    }

    /// Finds the current line's end; looks only at what was not looked at before. A line
    /// that nothing was seen of yet is read at once, and searched only if it turns out cut.
    private mutating func findLineFeed(in bytes: Span<UInt8>) -> Bool {
        guard scanned > lineStart else { return true }
        let end = bytes.nextLineFeed(from: scanned)
        scanned = end < bytes.count ? lineStart : end
        return end < bytes.count
    }

    /// Refuses a head of which so many bytes hold no further line end. A complete line is measured
    /// up to its line feed, so that it is refused as it would be if it came byte by byte. Mutating for
    /// the compiler alone: it copies the whole parser otherwise.
    private mutating func refuseLongPart(_ count: Int) throws(RequestError) {
        let bound = lineStart + limits.targetByteCount + 64
        if lineCount == 0, count > bound, bound <= limits.headByteCount {
            throw targetTooLong
        }
        if count > limits.headByteCount { throw headTooLong }
    }

    private var targetTooLong: RequestError {
        RequestError(
            status: 414, code: "target-too-long",
            detail: "The target is longer than \(limits.targetByteCount) bytes.",
            limit: limits.targetByteCount)
    }

    private mutating func parseLine(_ bytes: Span<UInt8>) throws(RequestError) -> Line {
        do throws(RequestError) {
            return lineCount == 0 ? try parseFirstLine(bytes) : try parseFieldLine(bytes)
        } catch {
            // What is wrong counts once the line is complete, so that cutting makes no difference.
            var index = lineStart
            while index < bytes.count {
                if bytes[index] == .lineFeed {
                    try refuseLongPart(index)
                    throw error
                }
                index += 1
            }
            return .incomplete
        }
    }

    // MARK: The request line

    private mutating func parseFirstLine(_ bytes: Span<UInt8>) throws(RequestError) -> Line {
        var index = lineStart
        if bytes[index] == .carriageReturn {
            // RFC 9112 §2.2: an empty line before the request line is passed over, two at most.
            guard index + 1 < bytes.count else { return .incomplete }
            guard bytes[index + 1] == .lineFeed, index < 4 else {
                throw .malformed("The request line is missing.")
            }
            return .complete(next: index + 2)
        }
        index = bytes.endOfToken(from: index)
        guard index < bytes.count else { return .incomplete }
        guard bytes[index] == .space, index > lineStart, index - lineStart <= 32 else {
            throw .malformed("The method is not a token.")
        }
        head.methodName = Slice(lineStart..<index)
        head.method = RequestMethod.named(head.methodName, in: bytes)
        let targetStart = index + 1
        index = bytes.endOfVisible(from: targetStart)
        guard index < bytes.count else { return .incomplete }
        guard bytes[index] == .space, index > targetStart else {
            throw .malformed("The target is missing, or holds bytes that must be encoded.")
        }
        guard index - targetStart <= limits.targetByteCount else { throw targetTooLong }
        head.target = Slice(targetStart..<index)
        guard let next = try parseVersion(bytes, at: index + 1) else { return .incomplete }
        try refuseLongPart(next - 1)
        try head.splitTarget(in: bytes)
        lineCount = 1
        fieldsStart = next
        return .complete(next: next)
    }

    /// `HTTP/1.1` and the line's end; nil where bytes are missing.
    private mutating func parseVersion(
        _ bytes: Span<UInt8>, at start: Int
    ) throws(RequestError) -> Int? {
        guard start + 10 <= bytes.count else {
            var index = start
            while index < bytes.count {
                if bytes[index] == .lineFeed {
                    throw .malformed("The version is malformed.")
                }
                index += 1
            }
            return nil
        }
        guard bytes[start] == UInt8(ascii: "H"), bytes[start + 1] == UInt8(ascii: "T"),
            bytes[start + 2] == UInt8(ascii: "T"), bytes[start + 3] == UInt8(ascii: "P"),
            bytes[start + 4] == UInt8(ascii: "/"), bytes[start + 5].isDigit,
            bytes[start + 6] == UInt8(ascii: "."), bytes[start + 7].isDigit,
            bytes[start + 8] == .carriageReturn, bytes[start + 9] == .lineFeed
        else { throw .malformed("The version is malformed.") }
        guard bytes[start + 5] == UInt8(ascii: "1") else {
            throw RequestError(
                status: 505, code: "version-not-supported", detail: "HTTP/1.1 is spoken here.")
        }
        head.version = bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
        return start + 10
    }

    // MARK: Fields

    private mutating func parseFieldLine(_ bytes: Span<UInt8>) throws(RequestError) -> Line {
        var index = lineStart
        if bytes[index] == .carriageReturn {
            guard index + 1 < bytes.count else { return .incomplete }
            guard bytes[index + 1] == .lineFeed else {
                throw .malformed("A carriage return stands alone.")
            }
            return .end(next: index + 2)
        }
        index = bytes.endOfToken(from: index)
        guard index < bytes.count else { return .incomplete }
        guard bytes[index] == .colon, index > lineStart else {
            throw .malformed("A field's name is not a token, or white space stands around it.")
        }
        let name = Slice(lineStart..<index)
        let valueStart = index + 1
        index = bytes.endOfFieldContent(from: valueStart)
        guard index < bytes.count else { return .incomplete }
        guard bytes[index] == .carriageReturn else { throw Self.badValue }
        guard index + 1 < bytes.count else { return .incomplete }
        guard bytes[index + 1] == .lineFeed else { throw Self.badValue }
        guard lineCount <= limits.fieldCount else {
            throw RequestError(
                status: 431, code: "too-many-fields",
                detail: "The request has more than \(limits.fieldCount) fields.",
                limit: limits.fieldCount)
        }
        lineCount += 1
        if let field = KnownField.named(name, in: bytes) {
            try head.set(field, Self.trimmed(valueStart..<index, in: bytes))
        }
        return .complete(next: index + 2)
    }

    private static var badValue: RequestError {
        .malformed("A field's value holds a control character, or does not end in CRLF.")
    }

    /// Without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ range: Range<Int>, in bytes: Span<UInt8>) -> Slice {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, bytes[start].isWhitespace { start += 1 }
        while end > start, bytes[end - 1].isWhitespace { end -= 1 }
        return Slice(start..<end)
    }
}

/// Bounds of one request head.
package struct RequestLimits: Sendable, Hashable, BitwiseCopyable {
    /// Request line and fields together; above it 431.
    package var headByteCount = 32 * 1024
    /// Above it 431.
    package var fieldCount = 100
    /// Above it 414.
    package var targetByteCount = 8 * 1024

    /// The defaults.
    package init() {}

    /// The same bounds, no larger than offsets can tell.
    fileprivate var representable: RequestLimits {
        var limits = self
        limits.headByteCount = min(headByteCount, 1 << 30)
        limits.targetByteCount = min(targetByteCount, 1 << 30)
        return limits
    }
}

/// Why a request is refused; its connection is closed after the answer.
package struct RequestError: Error, Sendable, Hashable {
    /// 400, 413, 414, 431, 501 or 505.
    package var status: Int
    /// Stable, for `/problems/<code>`.
    package var code: String
    /// A sentence for whoever reads the answer.
    package var detail: String
    /// The bound of a size or a number that was met; nil where it is about neither.
    package var limit: Int?

    /// An error of known parts.
    package init(status: Int, code: String, detail: String, limit: Int? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.limit = limit
    }

    /// A body above the limit; without one, of a length that no number holds.
    package static func bodyTooLarge(limit: Int?) -> RequestError {
        RequestError(
            status: 413, code: "body-too-large",
            detail: limit.map { "The body is larger than \($0) bytes." }
                ?? "The body is too large.", limit: limit)
    }

    static func malformed(_ detail: String) -> RequestError {
        RequestError(status: 400, code: "malformed-request", detail: detail)
    }
}

/// The fields that a request head has an index of.
@usableFromInline
package enum KnownField: UInt8, Sendable, Hashable, BitwiseCopyable, CaseIterable {
    case host, connection, contentLength, transferEncoding, contentType, contentEncoding, expect
    case accept, acceptEncoding, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange
    case range, prefer, origin, secFetchSite, lastEventID, idempotencyKey, authorization, cookie

    /// The field of a name, of which the letters' case does not matter.
    static func named(_ name: Slice, in bytes: Span<UInt8>) -> KnownField? {
        guard name.length >= 4, name.length < 20 else { return nil }
        let words = Words(bytes.extracting(name.range))
        let (field, known) = fields[words.slot]
        return words == known ? field : nil
    }

    /// A name of 4 to 19 bytes in small letters, by words that overlap.
    private struct Words: Equatable {
        let count: Int
        let first: UInt64
        let middle: UInt64
        let last: UInt64
        /// Another one for each known name, by a factor that was searched for.
        let slot: Int

        init(_ name: Span<UInt8>) {
            let space: UInt64 = 0x2020_2020_2020_2020
            count = name.count
            let rest = count &- 8
            if rest >= 0 {
                first = name.word(at: 0) | space
                middle = name.word(at: min(8, rest)) | space
                last = name.word(at: rest) | space
            } else {
                first = name.halfWord(at: 0) | space >> 32
                middle = 0
                last = name.halfWord(at: count &- 4) | space >> 32
            }
            slot = Int(((first &+ last) &* 0x6E04_0464_5114_6C25) >> 59)
        }
    }

    /// The fields by the slots of their names; any other one where no name has a slot.
    private static let fields: [(KnownField, Words)] = {
        let all = allCases.map { ($0, Words($0.name.utf8.span)) }
        return (0..<32).map { slot in all.first { $0.1.slot == slot } ?? all[0] }
    }()

    var name: String { Self.names[Int(rawValue)] }

    private static let names = [
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "Content-Type",
        "Content-Encoding", "Expect", "Accept", "Accept-Encoding", "If-Match", "If-None-Match",
        "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range", "Prefer", "Origin",
        "Sec-Fetch-Site", "Last-Event-ID", "Idempotency-Key", "Authorization", "Cookie",
    ]

    /// The field may stand once only; a second one is refused (RFC 9110 §5.3).
    var isSingular: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .contentType, .origin, .secFetchSite,
            .lastEventID, .idempotencyKey, .authorization, .ifModifiedSince, .ifUnmodifiedSince,
            .ifRange, .range:
            true
        default: false
        }
    }
}
