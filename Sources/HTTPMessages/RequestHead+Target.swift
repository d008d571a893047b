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
