/// A Swift file of the repository, read.
struct SourceFile {
    /// From the repository's root: `Sources/Redux/Store.swift`.
    let path: String
    /// The name of its target in the manifest; without one there, of its folder.
    let target: String
    let bytes: [UInt8]
    let tokens: [Token]
    let declarations: [Declaration]
    let imports: [Import]
    let commentLines: Set<Int>
    let comments: String

    init(path: String, target: String, text: String) {
        self.path = path
        self.target = target
        bytes = Array(text.utf8)
        let tokenizer = Tokenizer(bytes)
        tokens = tokenizer.tokens
        commentLines = tokenizer.commentLines
        comments = String(decoding: tokenizer.comments, as: UTF8.self)
        declarations = DeclarationReader.declarations(in: tokens)
        imports = Import.all(in: tokens)
    }

    var isSource: Bool { path.hasPrefix("Sources/") }
    var lineCount: Int { bytes.count { $0 == UInt8(ascii: "\n") } }

    private static let braces: Set<String> = ["{", "}", "(", ")", "[", "]", ",", ";"]

    /// How many lines are not blank, a comment, a plain import, or made of braces alone.
    var sayingCount: Int {
        let exports = tokens.filter { $0.text == "@_exported" }.map(\.line)
        let lines = tokens.filter { !Self.braces.contains($0.text) }.map(\.line)
        return Set(lines).subtracting(Set(imports.map(\.line)).subtracting(exports)).count
    }
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
            switch token.text {
            case "#if", "#else", "#elseif": condition = token.text
            case "#endif": condition = nil
            case "import": break
            default: return nil
            }
            guard token.text == "import" else { return nil }
            let rest = tokens[(index + 1)...].prefix { $0.line == token.line }
            return rest.first { $0.isName && !kinds.contains($0.text) }.map {
                Import(module: $0.text, line: token.line, condition: condition)
            }
        }
    }
}
