import Bytes

/// The fields that a request head has an index of.
@usableFromInline
package enum KnownField: UInt8, Sendable, Hashable, BitwiseCopyable, CaseIterable {
    case host, connection, contentLength, transferEncoding, contentType, contentEncoding, expect
    case accept, acceptEncoding, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange
    case range, prefer, origin, secFetchSite, lastEventID, idempotencyKey, authorization, cookie

    /// The field of a name, of which the letters' case does not matter.
    ///
    /// The name is packed into words, eight lower-case bytes each, the first in the lowest place.
    static func named(_ name: Slice, in bytes: Span<UInt8>) -> KnownField? {
        let start = name.range.lowerBound
        let length = Int(name.length)
        let space: UInt64 = 0x2020_2020_2020_2020
        switch length {
        case 4...8:
            let shift = UInt64(8 &* (length &- 4))
            let last = (bytes.halfWord(at: start &+ length &- 4) | space >> 32) << shift
            return short(bytes.halfWord(at: start) | space >> 32 | last)
        case 9...16:
            let last = (bytes.word(at: start &+ length &- 8) | space) >> UInt64(8 &* (16 &- length))
            return medium(bytes.word(at: start) | space, last)
        case 17...19:
            let last = (bytes.word(at: start &+ length &- 8) | space) >> UInt64(8 &* (24 &- length))
            return long(bytes.word(at: start) | space, bytes.word(at: start &+ 8) | space, last)
        default: return nil
        }
    }

    private static func short(_ word: UInt64) -> KnownField? {
        switch word {
        case 0x7473_6F68: .host
        case 0x7463_6570_7865: .expect
        case 0x7470_6563_6361: .accept
        case 0x6863_7461_6D2D_6669: .ifMatch
        case 0x6567_6E61_722D_6669: .ifRange
        case 0x65_676E_6172: .range
        case 0x7265_6665_7270: .prefer
        case 0x6E69_6769_726F: .origin
        case 0x6569_6B6F_6F63: .cookie
        default: nil
        }
    }

    private static func medium(_ first: UInt64, _ last: UInt64) -> KnownField? {
        switch last {
        case 0x6E6F: first == 0x6974_6365_6E6E_6F63 ? .connection : nil
        case 0x6874_676E_656C: first == content ? .contentLength : nil
        case 0x6570_7974: first == content ? .contentType : nil
        case 0x676E_6964_6F63_6E65: first == content ? .contentEncoding : nil
        case 0x67_6E69_646F_636E: first == 0x652D_7470_6563_6361 ? .acceptEncoding : nil
        case 0x68_6374_616D: first == 0x2D65_6E6F_6E2D_6669 ? .ifNoneMatch : nil
        case 0x6574_6973_2D68: first == 0x6374_6566_2D63_6573 ? .secFetchSite : nil
        case 0x64_692D_746E: first == 0x6576_652D_7473_616C ? .lastEventID : nil
        case 0x79_656B_2D79_636E: first == 0x6574_6F70_6D65_6469 ? .idempotencyKey : nil
        case 0x6E_6F69_7461: first == 0x7A69_726F_6874_7561 ? .authorization : nil
        default: nil
        }
    }

    /// `content-`
    private static let content: UInt64 = 0x2D74_6E65_746E_6F63

    private static func long(_ first: UInt64, _ second: UInt64, _ last: UInt64) -> KnownField? {
        switch (first, second, last) {
        case (0x7265_6673_6E61_7274, 0x6E69_646F_636E_652D, 0x67): .transferEncoding
        case (0x6669_646F_6D2D_6669, 0x636E_6973_2D64_6569, 0x65): .ifModifiedSince
        case (0x646F_6D6E_752D_6669, 0x6973_2D64_6569_6669, 0x65_636E): .ifUnmodifiedSince
        default: nil
        }
    }

    /// The name as it is written on the wire.
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
