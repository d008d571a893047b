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
        case size, data, dataEnd, trailer
    }

    /// The most bytes of all extensions together, or of all trailers together.
    static let lineLimit = 4 * 1024
    /// The most digits of a size, leading zeros included; more count like an extension.
    static let plainDigitCount = 16

    /// The decoded bytes may end here at most, counted from `start`.
    private(set) var limit: Int
    private let start: Int
    private var place = Place.size
    /// Of the present chunk.
    private var remaining = 0
    private var extensionByteCount = 0
    private var trailerStart = 0
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
            case .size: guard try readSizeLine(bytes) else { return .needMore }
            case .data: moveData(&bytes)
            case .dataEnd:
                guard bytes[read] == .carriageReturn else { throw Self.noLineEnd }
                guard try isLineFeed(at: read + 1, bytes) else { return .needMore }
                read += 2
                place = .size
            case .trailer:
                if let end = try readTrailers(bytes) { return .complete(end: end) }
                return .needMore
            }
        }
        return .needMore
    }

    /// Drops the waste, so that a coding with little data in it does not fill the memory.
    package mutating func compact(_ bytes: inout [UInt8]) {
        let waste = read - decodedEnd
        bytes.removeSubrange(decodedEnd..<read)
        read -= waste
        trailerStart -= waste
    }

    /// Moves the decoded bytes behind what `payload` holds, and drops them here with the waste: for
    /// a body that is read while it comes.
    package mutating func drain(_ bytes: inout [UInt8], to payload: inout [UInt8]) {
        payload.append(copying: bytes.span.extracting(start..<decodedEnd))
        limit -= decodedEnd - start
        decodedEnd = start
        compact(&bytes)
    }

    /// Reads a size, its extensions and the line's end; false where they have not come whole.
    private mutating func readSizeLine(_ bytes: [UInt8]) throws(RequestError) -> Bool {
        var size = 0
        var index = read
        while index < bytes.count, let digit = Hexadecimal.value(of: bytes[index]) {
            guard size >> 56 == 0 else { throw .malformed("A chunk's size has too many digits.") }
            size = size << 4 | Int(digit)
            index += 1
        }
        let plainEnd = min(index, read + Self.plainDigitCount)
        if index < bytes.count {
            guard index > read else { throw .malformed("A chunk's size is missing.") }
            let isEnd = bytes[index] == .carriageReturn || bytes[index] == Self.semicolon
            guard isEnd || bytes[index].isWhitespace else {
                throw .malformed("A chunk's size is not hexadecimal.")
            }
        }
        let end = try ChunkExtensions.end(in: bytes, from: index)
        let byteCount = extensionByteCount + end - plainEnd
        guard byteCount <= Self.lineLimit else {
            throw .malformed("The chunks' extensions are too long.")
        }
        guard try isLineFeed(at: end + 1, bytes) else { return false }
        extensionByteCount = byteCount
        read = end + 2
        place = size == 0 ? .trailer : .data
        trailerStart = read
        remaining = size
        guard size <= limit - (decodedEnd - start) else { throw .bodyTooLarge(limit: limit) }
        return true
    }

    private func isLineFeed(at index: Int, _ bytes: [UInt8]) throws(RequestError) -> Bool {
        guard index < bytes.count else { return false }
        guard bytes[index] == .lineFeed else { throw Self.noLineEnd }
        return true
    }

    private static var noLineEnd: RequestError { .malformed("A chunk does not end in CRLF.") }
    private static let semicolon = UInt8(ascii: ";")

    private mutating func moveData(_ bytes: inout [UInt8]) {
        let count = min(remaining, bytes.count - read)
        if decodedEnd != read {
            for offset in 0..<count { bytes[decodedEnd + offset] = bytes[read + offset] }
        }
        decodedEnd += count
        read += count
        remaining -= count
        if remaining == 0 { place = .dataEnd }
    }

    /// Looks for the empty line that ends the trailers; nil where it has not come.
    private mutating func readTrailers(_ bytes: [UInt8]) throws(RequestError) -> Int? {
        while true {
            let end = bytes.span.nextLineFeed(from: read)
            guard end - trailerStart <= Self.lineLimit else {
                throw .malformed("The trailers are too long.")
            }
            guard end < bytes.count else { return nil }
            guard end > read, bytes[end - 1] == .carriageReturn else {
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
        guard let colon = line.firstIndex(of: UInt8.colon), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isToken),
            line[colon...].allSatisfy(\.isFieldContent)
        else { throw .malformed("A trailer is malformed.") }
    }
}

/// The extensions behind a chunk's size (RFC 9112 §7.1.1):
///
///     chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
private struct ChunkExtensions {
    let bytes: [UInt8]
    var index: Int

    /// The place of the carriage return behind them; the end of the bytes where they have not come
    /// whole. Throws where what has come cannot be the beginning of any.
    static func end(in bytes: [UInt8], from start: Int) throws(RequestError) -> Int {
        var extensions = ChunkExtensions(bytes: bytes, index: start)
        while let byte = extensions.peek, byte != .carriageReturn {
            guard extensions.takeOne() || extensions.peek == nil else {
                throw .malformed("A chunk's extension is malformed.")
            }
        }
        return extensions.index
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func takeOne() -> Bool {
        skipWhitespace()
        guard take(UInt8(ascii: ";")) else { return false }
        skipWhitespace()
        guard takeToken() else { return false }
        let nameEnd = index
        skipWhitespace()
        guard take(UInt8(ascii: "=")) else {
            // White space behind a name belongs to the next extension, if there is one.
            if peek != nil { index = nameEnd }
            return true
        }
        skipWhitespace()
        return peek == UInt8(ascii: "\"") ? takeQuoted() : takeToken()
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte.isWhitespace { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func takeToken() -> Bool {
        let start = index
        while let byte = peek, byte.isToken { index += 1 }
        return index > start
    }

    private mutating func takeQuoted() -> Bool {
        index += 1
        while let byte = peek, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { index += 1 }
            guard let content = peek, content.isFieldContent else { return false }
            index += 1
        }
        return take(UInt8(ascii: "\""))
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
