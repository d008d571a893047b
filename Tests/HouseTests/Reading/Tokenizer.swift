/// Cuts Swift source into tokens.
///
/// The tokenizer knows comments (nested ones, too), strings of every delimiter, the code inside of
/// their interpolations, and regular expressions. It takes any bytes and always comes to an end:
/// what it does not know becomes a mark of one byte.
struct Tokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []

    static func tokens(of source: String) -> [Token] {
        var tokenizer = Tokenizer(bytes: Array(source.utf8))
        tokenizer.readCode(untilParenthesis: false)
        return tokenizer.tokens
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func starts(with text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        var index = position
        for scalar in text.description.utf8 {
            guard bytes[index] == scalar else { return false }
            index += 1
        }
        return true
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private mutating func advance(while isWanted: (UInt8) -> Bool) {
        while let byte = peek(), isWanted(byte) { advance() }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Adds a token that began at `start`, and whose text are the bytes of `content`.
    private mutating func add(
        _ kind: Token.Kind, from start: Int, on startLine: Int, content: Range<Int>? = nil
    ) {
        let range = start..<position
        tokens.append(
            Token(kind: kind, text: text(content ?? range), line: startLine, range: range))
    }

    /// Reads to the end of the source, or past the parenthesis that closes an interpolation.
    private mutating func readCode(untilParenthesis: Bool) {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            readToken(byte)
            if untilParenthesis, depth == 0 { return }
        }
    }

    private mutating func readToken(_ byte: UInt8) {
        let start = position
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: advance()
        case UInt8(ascii: "/"): readSlash()
        case UInt8(ascii: "\""): readString(hashes: 0)
        case UInt8(ascii: "#"): readHash()
        case UInt8(ascii: "@"): readPrefixed(.attribute)
        case UInt8(ascii: "`"): readQuotedName()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
        case _ where Self.isName(byte):
            let startLine = line
            advance(while: Self.isName)
            add(.word, from: start, on: startLine)
        default: readMark(byte)
        }
    }

    /// `@name` or `#name`; the sign alone is a mark.
    private mutating func readPrefixed(_ kind: Token.Kind) {
        let start = position
        advance()
        advance(while: Self.isName)
        add(position - start > 1 ? kind : .mark, from: start, on: line)
    }

    private mutating func readQuotedName() {
        let (start, startLine) = (position, line)
        advance()
        advance { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }
        let content = start + 1..<position
        advance()
        add(.quoted, from: start, on: startLine, content: content)
    }

    private mutating func readNumber() {
        let start = position
        advance(while: Self.isName)
        if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
            advance()
            advance(while: Self.isName)
        }
        add(.number, from: start, on: line)
    }

    private mutating func readMark(_ byte: UInt8) {
        let start = position
        if Self.isOperator(byte) {
            repeat { advance() } while isInOperator
        } else if starts(with: "...") || starts(with: "..<") {
            advance(3)
        } else {
            advance()
        }
        add(.mark, from: start, on: line)
    }

    /// An operator ends where a comment begins.
    private var isInOperator: Bool {
        guard let byte = peek(), Self.isOperator(byte) else { return false }
        return !starts(with: "//") && !starts(with: "/*")
    }

    private mutating func readSlash() {
        if starts(with: "//") {
            readLineComment()
        } else if starts(with: "/*") {
            readBlockComment()
        } else if startsRegularExpression {
            readRegularExpression(hashes: 0)
        } else {
            readMark(UInt8(ascii: "/"))
        }
    }

    private mutating func readLineComment() {
        let start = position
        let isDocumentation = starts(with: "///") && !starts(with: "////")
        advance { $0 != UInt8(ascii: "\n") }
        let content = min(start + (isDocumentation ? 3 : 2), position)..<position
        add(isDocumentation ? .documentation : .comment, from: start, on: line, content: content)
    }

    private mutating func readBlockComment() {
        let (start, startLine) = (position, line)
        let isDocumentation = starts(with: "/**") && !starts(with: "/***") && !starts(with: "/**/")
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                advance(2)
            } else if starts(with: "*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < bytes.count
        let first = start + (isDocumentation ? 3 : 2)
        let content = first..<max(first, position - (depth == 0 ? 2 : 0))
        add(
            isDocumentation ? .documentation : .comment, from: start, on: startLine,
            content: content)
    }

    /// A slash begins a regular expression where an operand may stand, if no space follows it and
    /// another one stands on its line.
    private var startsRegularExpression: Bool {
        guard let next = peek(1), next != 0x20, next != UInt8(ascii: "\n"),
            next != UInt8(ascii: ")"), next != UInt8(ascii: ",")
        else { return false }
        if let last = tokens.last(where: { !$0.isComment }) {
            switch last.kind {
            case .mark where [")", "]", "}"].contains(last.text): return false
            case .mark: break
            case .word where ["return", "in", "case", "try", "await"].contains(last.text): break
            default: return false
            }
        }
        let rest = bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }
        return rest.contains(UInt8(ascii: "/"))
    }

    private mutating func readRegularExpression(hashes: Int) {
        let (start, startLine) = (position - hashes, line)
        advance()
        let first = position
        while let byte = peek(), hashes > 0 || byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/"), countHashes(after: 1) >= hashes { break }
            advance(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        let content = first..<position
        advance(1 + hashes)
        add(.string, from: start, on: startLine, content: content)
    }

    private func countHashes(after distance: Int) -> Int {
        var count = 0
        while peek(distance + count) == UInt8(ascii: "#") { count += 1 }
        return count
    }

    /// A raw string, an extended regular expression, or a directive.
    private mutating func readHash() {
        let count = countHashes(after: 0)
        switch peek(count) {
        case UInt8(ascii: "\""):
            advance(count)
            readString(hashes: count)
        case UInt8(ascii: "/"):
            advance(count)
            readRegularExpression(hashes: count)
        default: readPrefixed(.directive)
        }
    }

    /// A literal from its first quotation mark on; `hashes` of `#` stood before it.
    private mutating func readString(hashes: Int) {
        var (start, startLine) = (position - hashes, line)
        let isLong = starts(with: "\"\"\"")
        let quotes = isLong ? 3 : 1
        advance(quotes)
        var first = position
        while let byte = peek(), isLong || byte != UInt8(ascii: "\n") {
            if isEnd(of: quotes, hashes: hashes) { break }
            guard byte == UInt8(ascii: "\\"), countHashes(after: 1) >= hashes else {
                advance()
                continue
            }
            guard peek(1 + hashes) == UInt8(ascii: "(") else {
                advance(2 + hashes)
                continue
            }
            let content = first..<position
            advance(1 + hashes)
            add(.string, from: start, on: startLine, content: content)
            readCode(untilParenthesis: true)
            (start, startLine, first) = (position, line, position)
        }
        let content = first..<position
        if isEnd(of: quotes, hashes: hashes) { advance(quotes + hashes) }
        add(.string, from: start, on: startLine, content: content)
    }

    private func isEnd(of quotes: Int, hashes: Int) -> Bool {
        for index in 0..<quotes where peek(index) != UInt8(ascii: "\"") { return false }
        return countHashes(after: quotes) >= hashes
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"),
            UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "^"),
            UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "?"):
            true
        default: false
        }
    }
}
