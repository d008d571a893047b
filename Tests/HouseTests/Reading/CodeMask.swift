/// Blanks what is not code, and leaves every byte in its place: a comment becomes bytes of 1, what
/// a string or a regular expression holds becomes quotation marks. Code in interpolations stays.
struct CodeMask {
    static let comment: UInt8 = 1
    private static let quote = UInt8(ascii: "\"")

    private var bytes: [UInt8]
    private var position = 0

    static func code(of source: String) -> [UInt8] {
        var mask = CodeMask(bytes: Array(source.utf8))
        mask.readCode(isInterpolation: false)
        return mask.bytes
    }

    private func starts(with text: String) -> Bool {
        position < bytes.count && bytes[position] == text.utf8.first
            && bytes[position...].starts(with: text.utf8)
    }

    /// Blanks up to `end` and, if there is one, over it.
    private mutating func blank(to end: String, with blank: UInt8 = comment) {
        while position < bytes.count, !starts(with: end) { step(blank) }
        for _ in end.utf8 where position < bytes.count { step(blank) }
    }

    private mutating func step(_ blank: UInt8) {
        if bytes[position] != UInt8(ascii: "\n") { bytes[position] = blank }
        position += 1
    }

    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "/"): readSlash()
            case UInt8(ascii: "#"), Self.quote: readHashes()
            case UInt8(ascii: "`"):
                repeat { position += 1 } while position < bytes.count && !starts(with: "`")
                position += 1
            case UInt8(ascii: "("):
                depth += 1
                position += 1
            case UInt8(ascii: ")"):
                depth -= 1
                position += 1
                if depth == 0, isInterpolation { return }
            default: position += 1
            }
        }
    }

    private mutating func readSlash() {
        if starts(with: "//") {
            while position < bytes.count, !starts(with: "\n") { step(Self.comment) }
        } else if starts(with: "/*") {
            readBlockComment()
        } else if isRegularExpression {
            repeat {
                if starts(with: "\\") { step(Self.quote) }
                step(Self.quote)
            } while !starts(with: "/")
            step(Self.quote)
        } else {
            position += 1
        }
    }

    private mutating func readBlockComment() {
        step(Self.comment)
        step(Self.comment)
        while position < bytes.count, !starts(with: "*/") {
            if starts(with: "/*") { readBlockComment() } else { step(Self.comment) }
        }
        blank(to: "*/")
    }

    /// Spaces stand on both sides of a division, and on one side of an expression.
    private var isRegularExpression: Bool {
        guard position > 0, " ([".utf8.contains(bytes[position - 1]),
            position + 1 < bytes.count, !" ),\n".utf8.contains(bytes[position + 1])
        else { return false }
        return bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }
            .contains(UInt8(ascii: "/"))
    }

    /// A string with or without hashes, an extended regular expression, or a directive.
    private mutating func readHashes() {
        let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let ending = String(repeating: "#", count: hashes)
        position += hashes
        let isExpression = hashes > 0 && starts(with: "/")
        guard isExpression || starts(with: "\"") else { return }
        position -= hashes
        for _ in 0...hashes { step(Self.quote) }
        if isExpression { return blank(to: "/\(ending)", with: Self.quote) }
        position -= 1
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        position += quotes.utf8.count
        readString(to: quotes + ending, escape: "\\\(ending)", isLong: quotes.count == 3)
    }

    private mutating func readString(to end: String, escape: String, isLong: Bool) {
        while position < bytes.count, isLong || !starts(with: "\n") {
            if starts(with: end) { return blank(to: end, with: Self.quote) }
            let isEscape = starts(with: escape)
            for _ in escape.utf8 where isEscape && position < bytes.count { step(Self.quote) }
            if isEscape, starts(with: "(") {
                readCode(isInterpolation: true)
            } else if position < bytes.count {
                step(Self.quote)
            }
        }
    }
}
