/// The methods that are told apart without a string (RFC 9110 §9.3, RFC 5789).
@usableFromInline
package enum RequestMethod: UInt8, Sendable, Hashable, BitwiseCopyable {
    case get, head, post, put, delete, options, patch, connect, trace
    /// Any other token.
    case other

    /// The method that a token names; case matters.
    static func named(_ slice: Slice, in bytes: Span<UInt8>) -> RequestMethod {
        var word: UInt64 = 0
        guard slice.length <= 8 else { return .other }
        for index in slice.range.reversed() { word = word << 8 | UInt64(bytes[index]) }
        switch word {
        case 0x54_4547: return .get
        case 0x4441_4548: return .head
        case 0x5453_4F50: return .post
        case 0x54_5550: return .put
        case 0x4554_454C_4544: return .delete
        case 0x53_4E4F_4954_504F: return .options
        case 0x48_4354_4150: return .patch
        case 0x54_4345_4E4E_4F43: return .connect
        case 0x45_4341_5254: return .trace
        default: return .other
        }
    }
}
