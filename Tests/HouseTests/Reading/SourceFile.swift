/// A Swift file of the repository, read.
struct SourceFile {
    /// From the repository's root: `Sources/Redux/Store.swift`.
    let path: String
    /// The name of its target in the manifest; without one there, of its folder.
    let target: String
    /// Its code, without comments.
    let tokens: [Token]
    let comments: [Token]
    let declarations: [Declaration]
    let imports: [Import]
    let lineCount: Int

    init(path: String, target: String, text: String) {
        let all = Tokenizer.tokens(of: text)
        self.path = path
        self.target = target
        tokens = all.filter { !$0.isComment }
        comments = all.filter(\.isComment)
        declarations = DeclarationReader.declarations(in: tokens)
        imports = Import.all(in: tokens)
        lineCount = text.utf8.count { $0 == UInt8(ascii: "\n") }
    }

    /// `Store+Dispatch`
    var name: String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.split(separator: ".").first ?? "")
    }

    var isSource: Bool { path.hasPrefix("Sources/") }

    /// The arrow behind the parameters, which makes no closure.
    func answers(_ function: Declaration) -> Bool {
        var depth = 0
        return tokens[function.signature].contains { token in
            depth += token.isMark("(") ? 1 : token.isMark(")") ? -1 : 0
            return depth == 0 && token.isMark("->")
        }
    }
}
