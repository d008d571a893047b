/// Finds the versions in an event stream, however it is cut: the digits behind the last hyphen
/// of each line `id: k3f9-42`, told at the line's end.
struct EventScanner {
    private enum Place {
        case field(matched: Int)
        case token
        case rest
    }

    private static let field: [UInt8] = [0x69, 0x64, 0x3A, 0x20]  // "id: "
    private var place = Place.field(matched: 0)
    private var version = 0

    mutating func scan(_ bytes: Span<UInt8>, _ found: (Int) -> Void) {
        for index in bytes.indices {
            let byte = bytes[index]
            switch place {
            case .rest:
                if byte == 0x0A { place = .field(matched: 0) }
            case .field(let matched):
                if byte == 0x0A {
                    place = .field(matched: 0)
                } else if byte == Self.field[matched] {
                    version = 0
                    place = matched == 3 ? .token : .field(matched: matched + 1)
                } else {
                    place = .rest
                }
            case .token:
                switch byte {
                case 0x30...0x39: version = version &* 10 &+ Int(byte &- 0x30)
                case 0x0A:
                    found(version)
                    place = .field(matched: 0)
                default: version = 0
                }
            }
        }
    }
}
