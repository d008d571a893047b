/// A word or a mark of a file's code.
struct Token {
    let text: String
    let line: Int
    /// Its first byte in the code.
    let start: Int
    let isFirstOfLine: Bool

    var isName: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
}

/// A Swift file of the repository, read.
struct SourceFile {
    /// From the repository's root: `Sources/Redux/Store.swift`.
    let path: String
    /// The name of its target in the manifest; without one there, of its folder.
    let target: String
    /// The text with all else blanked, in the bytes' places.
    let code: [UInt8]
    let tokens: [Token]
    let declarations: [Declaration]
    let imports: [Import]
    /// The lines that hold a comment, from 1, and the text of all comments.
    private(set) var commentLines: Set<Int> = []
    private(set) var comments: [UInt8] = []
    private(set) var lineCount = 0
    /// Lines that are not blank, a comment, a plain import, or made of braces alone.
    private(set) var sayingCount = 0

    init(path: String, target: String, text: String) {
        self.path = path
        self.target = target
        code = CodeMask.code(of: text)
        tokens = Self.tokens(of: code)
        declarations = DeclarationReader.declarations(in: tokens)
        imports = Import.all(in: tokens)
        countLines(of: Array(text.utf8))
    }

    var isSource: Bool { path.hasPrefix("Sources/") }

    private mutating func countLines(of text: [UInt8]) {
        let exports = tokens.filter { $0.text == "@_exported" }.map(\.line)
        let importLines = Set(imports.map(\.line)).subtracting(exports)
        var says = false
        for (index, byte) in code.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"):
                lineCount += 1
                if says, !importLines.contains(lineCount) { sayingCount += 1 }
                says = false
            case CodeMask.comment:
                commentLines.insert(lineCount + 1)
                comments.append(text[index])
            default: if !says { says = !Self.silent[Int(byte)] }
            }
        }
        if says { sayingCount += 1 }
    }

    private static func tokens(of code: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var (index, line, last) = (0, 1, 0)
        while index < code.count {
            let start = index
            index += length(at: start, in: code)
            if code[start] == UInt8(ascii: "\n") { line += 1 }
            guard !blank[Int(code[start])] else { continue }
            let text = String(decoding: code[start..<index], as: UTF8.self)
            tokens.append(
                Token(
                    text: text.filter { $0 != "`" }, line: line, start: start,
                    isFirstOfLine: line != last))
            last = line
        }
        return tokens
    }

    /// Of the word, the arrow, the string, or the one mark that begins there.
    private static func length(at start: Int, in code: [UInt8]) -> Int {
        let (first, rest) = (code[start], code[start...])
        switch first {
        case UInt8(ascii: "`"):
            return min(rest.dropFirst().prefix { $0 != first }.count + 2, rest.count)
        case UInt8(ascii: "\""): return rest.prefix { $0 == first }.count
        case UInt8(ascii: "-") where rest.starts(with: "->".utf8): return 2
        default: return marks[Int(first)] ? 1 : rest.prefix { !marks[Int($0)] }.count
        }
    }

    private static func table(_ bytes: String) -> [Bool] {
        let bytes = Set(bytes.utf8)
        return (0...255).map { bytes.contains($0) }
    }

    private static let silent = table(" \t{}()[],;")
    private static let blank = table(" \t\n\u{1}")
    /// `@` and `#` begin words, `$0` is one, and so is what stands in backticks or quotation marks.
    private static let marks = table(" \t\n\u{1}\"`{}()[]<>,;:.=-+*/%&|^~!?\\'")
}

/// An import of a source file.
struct Import {
    /// `HTTPTypes`; of a submodule its first name.
    let module: String
    let line: Int
    /// The condition that it stands under: `#if`, or `#else` where it stands in for another module.
    let condition: String?

    private static let kinds: Set<String> = [
        "struct", "enum", "class", "protocol", "func", "typealias", "var", "let",
    ]

    static func all(in tokens: [Token]) -> [Import] {
        var condition: String?
        return tokens.indices.compactMap { index in
            let token = tokens[index]
            if ["#if", "#else", "#elseif"].contains(token.text) { condition = token.text }
            if token.text == "#endif" { condition = nil }
            guard token.text == "import" else { return nil }
            let rest = tokens[(index + 1)...].prefix { $0.line == token.line }
            return rest.first { $0.isName && !kinds.contains($0.text) }.map {
                Import(module: $0.text, line: token.line, condition: condition)
            }
        }
    }
}
