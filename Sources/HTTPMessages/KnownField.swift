/// The fields that a request head has an index of.
public enum KnownField: UInt8, Sendable, Hashable, BitwiseCopyable, CaseIterable {
    case host, connection, contentLength, transferEncoding, contentType, contentEncoding, expect
    case accept, acceptEncoding, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange
    case range, prefer, origin, secFetchSite, lastEventID, idempotencyKey, authorization, cookie

    /// The field of a name, of which the letters' case does not matter.
    ///
    /// The name is packed into words, eight lower-case bytes each, the first in the lowest place.
    static func named(_ name: Slice, in bytes: Span<UInt8>) -> KnownField? {
        guard name.length >= 4, name.length <= 19 else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var shift: UInt64 = 0
        for index in name.range {
            let byte = UInt64(bytes[index] | 0x20)
            switch shift >> 6 {
            case 0: words.0 |= byte << shift
            case 1: words.1 |= byte << (shift & 63)
            default: words.2 |= byte << (shift & 63)
            }
            shift += 8
        }
        return name.length <= 8
            ? short(words.0) : name.length <= 16 ? medium(words.0, words.1) : long(words)
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

    private static func medium(_ first: UInt64, _ second: UInt64) -> KnownField? {
        switch (first, second) {
        case (0x6974_6365_6E6E_6F63, 0x6E6F): .connection
        case (0x2D74_6E65_746E_6F63, 0x6874_676E_656C): .contentLength
        case (0x2D74_6E65_746E_6F63, 0x6570_7974): .contentType
        case (0x2D74_6E65_746E_6F63, 0x676E_6964_6F63_6E65): .contentEncoding
        case (0x652D_7470_6563_6361, 0x67_6E69_646F_636E): .acceptEncoding
        case (0x2D65_6E6F_6E2D_6669, 0x68_6374_616D): .ifNoneMatch
        case (0x6374_6566_2D63_6573, 0x6574_6973_2D68): .secFetchSite
        case (0x6576_652D_7473_616C, 0x64_692D_746E): .lastEventID
        case (0x6574_6F70_6D65_6469, 0x79_656B_2D79_636E): .idempotencyKey
        case (0x7A69_726F_6874_7561, 0x6E_6F69_7461): .authorization
        default: nil
        }
    }

    private static func long(_ words: (UInt64, UInt64, UInt64)) -> KnownField? {
        switch words {
        case (0x7265_6673_6E61_7274, 0x6E69_646F_636E_652D, 0x67): .transferEncoding
        case (0x6669_646F_6D2D_6669, 0x636E_6973_2D64_6569, 0x65): .ifModifiedSince
        case (0x646F_6D6E_752D_6669, 0x6973_2D64_6569_6669, 0x65_636E): .ifUnmodifiedSince
        default: nil
        }
    }

    /// Whether it may stand once only; a second one is refused (RFC 9110 §5.3).
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
