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

    /// The documentation above declarations: the text of the first line of each, and where it is.
    var documentation: [(text: String, lines: ClosedRange<Int>)] {
        var blocks: [(text: String, lines: ClosedRange<Int>)] = []
        for comment in comments where comment.kind == .documentation {
            let newlines = comment.text.utf8.count { $0 == UInt8(ascii: "\n") }
            if let last = blocks.last, last.lines.upperBound == comment.line - 1 {
                blocks[blocks.count - 1].lines = last.lines.lowerBound...comment.line + newlines
            } else {
                blocks.append((comment.text, comment.line...comment.line + newlines))
            }
        }
        return blocks
    }

    /// The line on which a declaration begins, its documentation included.
    func firstLine(of declaration: Declaration) -> Int {
        let line = declaration.lines.lowerBound
        let above = documentation.first { $0.lines.upperBound == line - 1 }
        return above?.lines.lowerBound ?? line
    }
}
