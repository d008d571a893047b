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
        let number = numbers[words.slot]
        return words == all[Int(number)] ? KnownField(rawValue: number) : nil
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

    private static let all = names.map { Words($0.utf8.span) }
    /// The number of the field whose name has a slot; any other one where none has it.
    private static let numbers = all.enumerated().reduce(into: [UInt8](repeating: 0, count: 32)) {
        $0[$1.element.slot] = UInt8($1.offset)
    }

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
