/// The first lines of answers, made once (RFC 9112 §4).
enum StatusLine {
    private static let lines: [[UInt8]] = (100..<600).map { code in
        Array("HTTP/1.1 \(code) \(ReasonPhrase.of(code))\r\n".utf8)
    }

    /// `HTTP/1.1 200 OK` and its line end, for a status of 100 to 599.
    static func bytes(_ code: Int) -> [UInt8] {
        precondition((100..<600).contains(code), "A status is 100 to 599.")
        return lines[code - 100]
    }
}
