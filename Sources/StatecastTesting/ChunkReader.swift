/// Takes the chunks off a body that a test reads piece by piece (RFC 9112 §7.1).
struct ChunkReader {
    private enum Place {
        case size, lineEnd
        case data(Int)
        case dataEnd(Int)
        case over
    }

    private var place = Place.size
    private var size = 0

    /// Appends the payload of these bytes; bytes that are no chunk end the body.
    mutating func append(_ bytes: [UInt8], to payload: inout [UInt8]) {
        for byte in bytes {
            switch place {
            case .size:
                if let digit = Character(UnicodeScalar(byte)).hexDigitValue {
                    size = size << 4 | digit
                } else {
                    place = byte == 0x0D ? .lineEnd : .over
                }
            case .lineEnd: place = byte == 0x0A && size > 0 ? .data(size) : .over
            case .data(let rest):
                payload.append(byte)
                place = rest > 1 ? .data(rest - 1) : .dataEnd(2)
            case .dataEnd(2): place = byte == 0x0D ? .dataEnd(1) : .over
            case .dataEnd:
                size = 0
                place = byte == 0x0A ? .size : .over
            case .over: return
            }
        }
    }
}
