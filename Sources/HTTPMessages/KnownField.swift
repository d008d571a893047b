import Bytes

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
