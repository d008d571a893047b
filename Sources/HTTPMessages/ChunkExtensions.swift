/// The form of the extensions behind a chunk's size, told byte by byte (RFC 9112 §7.1.1):
///
///     chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
struct ChunkExtensions: Sendable {
    private enum Place {
        case semicolon, nameStart, name, nameEnd, valueStart, value, quoted, escaped, quotedEnd
    }

    private var place = Place.semicolon

    /// The line may end here.
    var areWhole: Bool {
        switch place {
        case .name, .value, .quotedEnd: true
        case .semicolon, .nameStart, .nameEnd, .valueStart, .quoted, .escaped: false
        }
    }

    /// Goes on with one byte; throws where it may not follow those before it.
    mutating func read(_ byte: UInt8) throws(RequestError) {
        guard let next = next(byte) else { throw .malformed("A chunk's extension is malformed.") }
        place = next
    }

    private func next(_ byte: UInt8) -> Place? {
        switch place {
        case .semicolon: follow(byte, whitespace: .semicolon, token: nil)
        case .nameStart: start(byte, whitespace: .nameStart, token: .name)
        case .name: follow(byte, whitespace: .nameEnd, token: .name, equals: .valueStart)
        case .nameEnd: follow(byte, whitespace: .nameEnd, token: nil, equals: .valueStart)
        case .valueStart where byte == UInt8(ascii: "\""): .quoted
        case .valueStart: start(byte, whitespace: .valueStart, token: .value)
        case .value: follow(byte, whitespace: .semicolon, token: .value)
        case .quoted where byte == UInt8(ascii: "\""): .quotedEnd
        case .quoted where byte == UInt8(ascii: "\\"): .escaped
        case .quoted, .escaped: ByteClass.isFieldContent(byte) ? .quoted : nil
        case .quotedEnd: follow(byte, whitespace: .semicolon, token: nil)
        }
    }

    /// Before a name or a value.
    private func start(_ byte: UInt8, whitespace: Place, token: Place) -> Place? {
        if ByteClass.isWhitespace(byte) { return whitespace }
        return ByteClass.isToken(byte) ? token : nil
    }

    /// In or behind a name or a value: a semicolon begins the next extension.
    private func follow(
        _ byte: UInt8, whitespace: Place, token: Place?, equals: Place? = nil
    ) -> Place? {
        switch byte {
        case UInt8(ascii: ";"): .nameStart
        case UInt8(ascii: "="): equals
        case ByteClass.space, ByteClass.tab: whitespace
        default: ByteClass.isToken(byte) ? token : nil
        }
    }
}
