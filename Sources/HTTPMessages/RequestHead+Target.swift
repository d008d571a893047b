import Bytes

extension RequestHead {
    /// Tells the four forms of a target apart (RFC 9112 §3.2) and finds path and query.
    mutating func splitTarget(in bytes: Span<UInt8>) throws(RequestError) {
        let first = bytes[target.range.lowerBound]
        if first == UInt8(ascii: "/") {
            guard method != .connect else { throw .malformed("CONNECT takes host and port.") }
            return try splitPath(target.range, in: bytes)
        }
        if first == UInt8(ascii: "*"), target.length == 1 {
            guard method == .options else { throw .malformed("Only OPTIONS takes `*`.") }
            isAsterisk = true
            return
        }
        if method == .connect {
            guard Authority.isValid(target, in: bytes, needsPort: true) else {
                throw .malformed("CONNECT takes host and port.")
            }
            authority = target
            return
        }
        try splitAbsolute(in: bytes)
    }

    private mutating func splitAbsolute(in bytes: Span<UInt8>) throws(RequestError) {
        let start: Int
        if hasPrefix("http://", in: bytes) {
            start = target.range.lowerBound + 7
        } else if hasPrefix("https://", in: bytes) {
            start = target.range.lowerBound + 8
        } else {
            throw .malformed("The target is neither a path nor an http URL.")
        }
        var end = start
        while end < target.range.upperBound, bytes[end] != UInt8(ascii: "/"),
            bytes[end] != UInt8(ascii: "?")
        {
            end += 1
        }
        authority = Slice(start..<end)
        guard Authority.isValid(authority, in: bytes, needsPort: false) else {
            throw .malformed("The target's host is malformed.")
        }
        try splitPath(end..<target.range.upperBound, in: bytes)
        if method == .options, path.isEmpty, query.isEmpty { isAsterisk = true }
    }

    private func hasPrefix(_ text: String, in bytes: Span<UInt8>) -> Bool {
        let count = text.utf8.count
        guard Int(target.length) > count else { return false }
        let start = target.range.lowerBound
        return Slice(start..<start + count).isEqual(to: text, in: bytes)
    }

    private mutating func splitPath(_ range: Range<Int>, in bytes: Span<UInt8>)
        throws(RequestError)
    {
        var index = range.lowerBound
        var mark: Int?
        while true {
            index = bytes.endOfPlainPath(from: index, to: range.upperBound)
            guard index < range.upperBound else { break }
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, Hexadecimal.value(of: bytes[index + 1]) != nil,
                    Hexadecimal.value(of: bytes[index + 2]) != nil
                else { throw .malformed("A percent sign needs two hexadecimal digits.") }
            } else if byte == UInt8(ascii: "?") {
                if mark == nil { mark = index }
            } else if !ByteClass.isURI(byte), mark == nil || !ByteClass.isTolerated(byte) {
                throw .malformed("The target holds a character that must be encoded.")
            }
            index += 1
        }
        path = Slice(range.lowerBound..<(mark ?? range.upperBound))
        if let mark { query = Slice(mark + 1..<range.upperBound) }
    }
}

/// Host and port (RFC 3986 §3.2), without user information.
enum Authority {
    static func isValid(_ slice: Slice, in bytes: Span<UInt8>, needsPort: Bool) -> Bool {
        var index = slice.range.lowerBound
        let end = slice.range.upperBound
        guard index < end else { return false }
        if bytes[index] == UInt8(ascii: "[") {
            index += 1
            let start = index
            while index < end,
                Hexadecimal.value(of: bytes[index]) != nil || bytes[index] == ByteClass.colon
                    || bytes[index] == UInt8(ascii: ".")
            {
                index += 1
            }
            guard index > start + 1, index < end, bytes[index] == UInt8(ascii: "]") else {
                return false
            }
            index += 1
        } else {
            let start = index
            while index < end, isName(bytes[index]) { index += 1 }
            guard index > start else { return false }
        }
        return isPort(index..<end, in: bytes, needed: needsPort)
    }

    private static func isPort(_ range: Range<Int>, in bytes: Span<UInt8>, needed: Bool) -> Bool {
        guard !range.isEmpty else { return !needed }
        guard bytes[range.lowerBound] == ByteClass.colon, range.count <= 6 else { return false }
        var port = 0
        for index in range.dropFirst() {
            guard ByteClass.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65_535 && (range.count > 1 || !needed)
    }

    /// Registered names and IPv4: letters, digits, and the marks that host names use.
    private static func isName(_ byte: UInt8) -> Bool {
        ByteClass.isDigit(byte) || ByteClass.lowercased(byte) &- 0x61 < 26
            || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
}
