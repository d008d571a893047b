/// A word or a mark of a file's code; a string or a regular expression is one of `"` in each line.
struct Token {
    let text: String
    let line: Int
    /// Its first byte in the file.
    let start: Int
    let isFirstOfLine: Bool

    var isName: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
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
        position < bytes.count && bytes[position] == text.utf8.first
            && bytes[position...].starts(with: text.utf8)
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
            if starts(with: "//") || starts(with: "/*") {
                readComment()
            } else if bytes[position] <= UInt8(ascii: " ") {
                step()
            } else if !readLiteral() {
                let start = position
                step(wordLength)
                let text = String(decoding: bytes[start..<position], as: UTF8.self)
                add(text.filter { $0 != "`" }, at: start)
                depth += text == "(" ? 1 : text == ")" ? -1 : 0
                if depth == 0, isInterpolation { return }
            }
        }
    }

    /// By byte, whether it ends a word.
    private static let marks = {
        let marks = Set("\n\t \"`{}()[]<>,;:.=-+*/%&|^~!?\\'".utf8)
        return (0...255).map { marks.contains($0) }
    }()

    /// Of the word, the name in backticks, the arrow, or the one mark that begins here. `@` and `#`
    /// begin words, and `$0` is one.
    private var wordLength: Int {
        let rest = bytes[position...]
        if starts(with: "->") { return 2 }
        if starts(with: "`") { return rest.dropFirst().prefix { $0 != bytes[position] }.count + 2 }
        return max(1, rest.prefix { !Self.marks[Int($0)] }.count)
    }

    private mutating func readComment() {
        let (start, isBlock) = (position, starts(with: "/*"))
        commentLines.insert(line)
        step(2)
        while position < bytes.count, !starts(with: isBlock ? "*/" : "\n") {
            if isBlock, starts(with: "/*") { readComment() } else { step() }
        }
        if isBlock { step(2) }
        comments += bytes[start..<position]
    }

    /// A string or a regular expression, with or without hashes; false where none begins.
    private mutating func readLiteral() -> Bool {
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
