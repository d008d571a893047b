/// A word or a mark of a file's code; a string or a regular expression is one of `"` in each line.
struct Token {
    let text: String
    let line: Int
    /// Its first byte in the file.
    let start: Int
    let isFirstOfLine: Bool

    var isName: Bool {
        switch text.utf8.first ?? 0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

/// Cuts Swift source into tokens, those in the interpolations of strings, too.
struct Tokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private(set) var tokens: [Token] = []
    /// The lines that hold comments, and the text of these.
    private(set) var commentLines: Set<Int> = []
    private(set) var comments: [UInt8] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        readCode(isInterpolation: false)
    }

    private func starts(with text: String) -> Bool {
        var index = position
        for byte in text.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// The first place from here on whose byte is so, or the end. A loop, for calls of closures are
    /// slow without optimization.
    private func place(where isWanted: [Bool], from start: Int) -> Int {
        var index = start
        while index < bytes.count, !isWanted[Int(bytes[index])] { index += 1 }
        return index
    }

    private mutating func step(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private mutating func add(_ text: String, at start: Int) {
        tokens.append(
            Token(
                text: text, line: line, start: start, isFirstOfLine: line != tokens.last?.line))
    }

    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte <= UInt8(ascii: " ") {
                step()
            } else if byte == UInt8(ascii: "/"), starts(with: "//") || starts(with: "/*") {
                readComment()
            } else if !readLiteral() {
                let start = position
                step(wordLength)
                let text = String(decoding: bytes[start..<position], as: UTF8.self)
                add(byte == UInt8(ascii: "`") ? text.filter { $0 != "`" } : text, at: start)
                depth += text == "(" ? 1 : text == ")" ? -1 : 0
                if depth == 0, isInterpolation { return }
            }
        }
    }

    /// By byte, whether it ends a word.
    private static let marks = table(of: "\n\t \"`{}()[]<>,;:.=-+*/%&|^~!?\\'")
    private static let backtick = table(of: "`")
    private static let lineFeed = table(of: "\n")

    private static func table(of text: String) -> [Bool] {
        let bytes = Set(text.utf8)
        return (0...255).map { bytes.contains($0) }
    }

    /// Of the word, the name in backticks, the arrow, or the one mark that begins here. `@` and `#`
    /// begin words, and `$0` is one.
    private var wordLength: Int {
        if starts(with: "->") { return 2 }
        if starts(with: "`") {
            return place(where: Self.backtick, from: position + 1) + 1 - position
        }
        return max(1, place(where: Self.marks, from: position) - position)
    }

    private mutating func readComment() {
        let (start, isBlock) = (position, starts(with: "/*"))
        commentLines.insert(line)
        if isBlock {
            step(2)
            while position < bytes.count, !starts(with: "*/") {
                if starts(with: "/*") { readComment() } else { step() }
            }
            step(2)
        } else {
            position = place(where: Self.lineFeed, from: position)
        }
        comments += bytes[start..<position]
    }

    /// A string or a regular expression, with or without hashes; false where none begins.
    private mutating func readLiteral() -> Bool {
        guard "\"/#".utf8.contains(bytes[position]) else { return false }
        let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let ending = String(repeating: "#", count: hashes)
        let start = position
        position += hashes
        if starts(with: "/"), hashes > 0 || isRegularExpression {
            readLiteral(from: start, to: "/\(ending)", escape: hashes > 0 ? nil : "\\")
        } else if starts(with: "\"") {
            let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
            readLiteral(from: start, to: quotes + ending, escape: "\\\(ending)")
        } else {
            position = start
            return false
        }
        return true
    }

    /// Spaces stand on both sides of a division, and on one side of an expression.
    private var isRegularExpression: Bool {
        guard position > 0, " ([".utf8.contains(bytes[position - 1]),
            position + 1 < bytes.count, !" ),\n".utf8.contains(bytes[position + 1])
        else { return false }
        return bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }
            .contains(bytes[position])
    }

    /// Each line of it that holds something becomes a token.
    private mutating func readLiteral(from start: Int, to end: String, escape: String?) {
        add("\"", at: start)
        step(end.utf8.count - (position - start))
        while position < bytes.count, !starts(with: end) {
            if line != tokens.last?.line, bytes[position] > UInt8(ascii: " ") {
                add("\"", at: position)
            }
            let isEscape = escape.map(starts) ?? false
            if isEscape { step(escape?.utf8.count ?? 0) }
            if isEscape, starts(with: "("), end.contains("\"") {
                readCode(isInterpolation: true)
            } else if end.utf8.count < 3, starts(with: "\n") {
                return
            } else {
                step()
            }
        }
        if line != tokens.last?.line { add("\"", at: position) }
        step(end.utf8.count)
    }
}
