import Bytes

/// Takes the chunked coding off a body, in place (RFC 9112 §7.1).
///
///     5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n      →      hello
///
/// Sizes are plain hexadecimal digits, with any zeros before them; lines end with CRLF; extensions
/// and trailers are bounded, checked for form and dropped.
package struct ChunkedDecoder: Sendable {
    /// The state of a body that is being decoded.
    package enum Progress: Sendable, Hashable {
        /// More bytes are needed.
        case needMore
        /// The body is whole; the coding ended at this offset.
        case complete(end: Int)
    }

    private enum Place {
        case size, extensions, sizeEnd, data, dataReturn, dataEnd, trailer
    }

    /// The most bytes of all extensions together, or of all trailers together.
    static let lineLimit = 4 * 1024
    /// The most digits of a size, leading zeros included; more count like an extension.
    static let plainDigitCount = 16

    /// The decoded bytes may end here at most, counted from `start`.
    private(set) var limit: Int
    private let start: Int
    private var place = Place.size
    private var digits = 0
    private var remaining = 0
    private var extensions = ChunkExtensions()
    private var extensionByteCount = 0
    private var trailerStart = 0
    /// Up to where no line feed was found in the trailer at `read`.
    private var scanned = 0
    private var read: Int
    /// The decoded body's end; it begins where the coding began.
    package private(set) var decodedEnd: Int

    /// A decoder of the coding that begins at offset `start`, for a body of at most `limit` bytes.
    package init(start: Int, limit: Int) {
        self.limit = limit
        self.start = start
        read = start
        decodedEnd = start
    }

    /// The place of the next undecoded byte; what lies between `decodedEnd` and here is waste.
    package var position: Int { read }

    /// Goes on with what has come; the decoded bytes are moved to the front.
    ///
    /// Throws 400 for a malformed coding, 413 above the limit; the connection has to close.
    package mutating func decode(_ bytes: inout [UInt8]) throws(RequestError) -> Progress {
        while read < bytes.count {
            switch place {
            case .size: try readSize(bytes[read])
            case .extensions: try readExtension(bytes[read])
            case .sizeEnd: try endSizeLine(bytes[read])
            case .data:
                moveData(&bytes)
                continue
            case .dataReturn:
                try expect(ByteClass.carriageReturn, bytes[read])
                place = .dataEnd
            case .dataEnd:
                try expect(ByteClass.lineFeed, bytes[read])
                place = .size
            case .trailer:
                if let end = try readTrailers(bytes) { return .complete(end: end) }
                return .needMore
            }
            read += 1
        }
        return .needMore
    }

    /// Drops the waste, so that a coding with little data in it does not fill the memory.
    package mutating func compact(_ bytes: inout [UInt8]) {
        let waste = read - decodedEnd
        bytes.removeSubrange(decodedEnd..<read)
        read -= waste
        trailerStart -= waste
        scanned -= waste
    }

    /// Moves the decoded bytes behind what `payload` holds, and drops them here with the waste: for
    /// a body that is read while it comes.
    package mutating func drain(_ bytes: inout [UInt8], to payload: inout [UInt8]) {
        payload.append(copying: bytes.span.extracting(start..<decodedEnd))
        limit -= decodedEnd - start
        decodedEnd = start
        compact(&bytes)
    }

    private mutating func readSize(_ byte: UInt8) throws(RequestError) {
        if let value = Hexadecimal.value(of: byte) {
            digits += 1
            if digits > Self.plainDigitCount { try countExtension() }
            guard remaining >> 56 == 0 else {
                throw .malformed("A chunk's size has too many digits.")
            }
            remaining = remaining << 4 | Int(value)
            return
        }
        guard digits > 0 else { throw .malformed("A chunk's size is missing.") }
        switch byte {
        case ByteClass.carriageReturn: place = .sizeEnd
        case UInt8(ascii: ";"), ByteClass.space, ByteClass.tab:
            place = .extensions
            extensions = ChunkExtensions()
            try readExtension(byte)
        default: throw .malformed("A chunk's size is not hexadecimal.")
        }
    }

    private mutating func readExtension(_ byte: UInt8) throws(RequestError) {
        if byte == ByteClass.carriageReturn, extensions.areWhole {
            place = .sizeEnd
            return
        }
        try extensions.read(byte)
        try countExtension()
    }

    private mutating func countExtension() throws(RequestError) {
        extensionByteCount += 1
        guard extensionByteCount <= Self.lineLimit else {
            throw .malformed("The chunks' extensions are too long.")
        }
    }

    private mutating func endSizeLine(_ byte: UInt8) throws(RequestError) {
        try expect(ByteClass.lineFeed, byte)
        digits = 0
        guard remaining > 0 else {
            place = .trailer
            trailerStart = read + 1
            scanned = read + 1
            return
        }
        guard remaining <= limit - (decodedEnd - start) else {
            throw .bodyTooLarge(limit: limit)
        }
        place = .data
    }

    private mutating func moveData(_ bytes: inout [UInt8]) {
        let count = min(remaining, bytes.count - read)
        if decodedEnd != read {
            for offset in 0..<count { bytes[decodedEnd + offset] = bytes[read + offset] }
        }
        decodedEnd += count
        read += count
        remaining -= count
        if remaining == 0 { place = .dataReturn }
    }

    /// Looks for the empty line that ends the trailers; nil where it has not come.
    private mutating func readTrailers(_ bytes: [UInt8]) throws(RequestError) -> Int? {
        while true {
            var end = max(read, scanned)
            while end < bytes.count, bytes[end] != ByteClass.lineFeed { end += 1 }
            guard end - trailerStart <= Self.lineLimit else {
                throw .malformed("The trailers are too long.")
            }
            scanned = end
            guard end < bytes.count else { return nil }
            guard end > read, bytes[end - 1] == ByteClass.carriageReturn else {
                throw .malformed("A trailer does not end in CRLF.")
            }
            if end == read + 1 {
                read = end + 1
                return read
            }
            try checkTrailer(bytes[read..<end - 1])
            read = end + 1
        }
    }

    private func checkTrailer(_ line: ArraySlice<UInt8>) throws(RequestError) {
        guard let colon = line.firstIndex(of: ByteClass.colon), colon > line.startIndex,
            line[..<colon].allSatisfy(ByteClass.isToken),
            line[colon...].allSatisfy(ByteClass.isFieldContent)
        else { throw .malformed("A trailer is malformed.") }
    }

    private func expect(_ expected: UInt8, _ byte: UInt8) throws(RequestError) {
        guard byte == expected else { throw .malformed("A chunk does not end in CRLF.") }
    }
}

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

extension ChunkedDecoder {
    /// As `decode`, for what a server has sent.
    mutating func decodeAnswer(_ bytes: inout [UInt8]) throws(ResponseError) -> Progress {
        do throws(RequestError) {
            return try decode(&bytes)
        } catch {
            throw error.status == 413 ? .tooLong(limit: limit) : .malformed(error.detail)
        }
    }
}
