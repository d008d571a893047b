/// JSON as it is written here: without white space between its parts.
package enum CompactJSON {
    /// The same bytes without the white space that stands outside of strings; what is no JSON stays
    /// none.
    package static func bytes(of text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var (isInString, isEscaped) = (false, false)
        for index in text.indices {
            let byte = text[index]
            if isInString {
                isInString = byte != UInt8(ascii: "\"") || isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case 0x20, 0x09, 0x0A, 0x0D: continue
                case UInt8(ascii: "\""): isInString = true
                default: break
                }
            }
            output.append(byte)
        }
        return output
    }
}
