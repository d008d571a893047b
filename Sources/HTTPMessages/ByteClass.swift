/// Classes of bytes, as RFC 9110 and RFC 3986 draw them.
enum ByteClass {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let colon = UInt8(ascii: ":")

    /// `tchar` (RFC 9110 §5.6.2), as one bit a byte of ASCII.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return bits >> UInt64(byte & 0x3F) & 1 == 1
    }

    /// A byte of a field value (RFC 9110 §5.5): visible, space, tab, or above ASCII.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == tab
    }

    /// A byte of a path, query or authority as RFC 3986 spells them, `%` included.
    @inline(__always)
    static func isURI(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        // ! $ % & ' ( ) * + , - . / 0-9 : ; = ?    @ A-Z [ ] _ a-z ~
        let bits: UInt64 = byte < 0x40 ? 0xAFFF_FFF2_0000_0000 : 0x47FF_FFFE_AFFF_FFFF
        return bits >> UInt64(byte & 0x3F) & 1 == 1
    }

    /// A byte that browsers send in a query without encoding it, although RFC 3986 forbids that.
    @inline(__always)
    static func isTolerated(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
