/// Functions that ask, and functions that act.
///
/// The rule reads words only: it speaks up where a name is a command and the answer a `Bool`, where
/// a name is a question and nothing is answered, and where a question assigns to what is not its
/// own.
enum Questions {
    private static let commands: Set<String> = [
        "accept", "add", "advance", "answer", "append", "apply", "begin", "cancel", "change",
        "clear", "close", "commit", "conclude", "consume", "decide", "deliver", "dispatch", "drain",
        "drop", "end", "enqueue", "finish", "flush", "forward", "give", "hold", "insert", "leave",
        "move", "notify", "open", "post", "publish", "push", "put", "queue", "refuse", "register",
        "release", "remove", "reset", "respond", "resume", "send", "set", "settle", "stage",
        "start", "stop", "submit", "switch", "take", "tell", "toggle", "update", "write",
    ]

    private static let questions: Set<String> = [
        "are", "can", "does", "has", "have", "is", "may", "must", "needs", "refuses", "should",
        "was", "were",
    ]

    static func findings(in tree: SourceTree) -> [Finding] {
        tree.sources.flatMap { file in
            file.declarations.compactMap { declaration -> Finding? in
                guard declaration.kind == .function,
                    let advice = advice(declaration, in: file)
                else { return nil }
                return Finding(
                    .questions, "\(file.target).\(declaration.fullName)", in: file,
                    line: declaration.line, advice)
            }
        }
    }

    private static func advice(_ function: Declaration, in file: SourceFile) -> String? {
        let word = Names.words(of: function.name).first?.lowercased() ?? ""
        let answer = answer(of: function, in: file)
        let isDiscardable = function.attributes.contains("@discardableResult")
        if commands.contains(word), answer == ["Bool"], !isDiscardable {
            return "\(function.name) acts and answers a Bool: "
                + "answer with an enum that says what happened, or split the question off"
        }
        guard questions.contains(word) else { return nil }
        if answer.isEmpty {
            return "\(function.name) is a question that answers nothing: call it by what it does"
        }
        if answer == ["Bool"],
            function.modifiers.contains("mutating") || assignsToOthers(function, in: file)
        {
            return "\(function.name) asks and changes its value: "
                + "call it by what it does, or split the question off"
        }
        return nil
    }

    private static let assignments: Set<String> = ["=", "+=", "-=", "|=", "&=", "&+=", "&-="]

    /// A statement of the body assigns to something that the body does not declare itself.
    private static func assignsToOthers(_ function: Declaration, in file: SourceFile) -> Bool {
        guard let body = function.body else { return false }
        let tokens = file.tokens
        let own = Set(
            body.filter { tokens[$0 - 1].isWord("var") || tokens[$0 - 1].isWord("let") }
                .map { tokens[$0].text })
        return body.contains { start in
            guard tokens[start].isName, tokens[start - 1].line < tokens[start].line,
                !own.contains(tokens[start].text)
            else { return false }
            let end = endOfPath(from: start, in: tokens[..<body.upperBound])
            return end < body.upperBound && tokens[end].kind == .mark
                && assignments.contains(tokens[end].text)
        }
    }

    /// The token behind `connection.state.flag`.
    private static func endOfPath(from start: Int, in tokens: ArraySlice<Token>) -> Int {
        var end = start + 1
        while end + 1 < tokens.endIndex, tokens[end].isMark(".") || tokens[end].isMark("?"),
            tokens[end + 1].isName || tokens[end + 1].isMark(".")
        {
            end += tokens[end + 1].isName ? 2 : 1
        }
        return end
    }

    /// The tokens behind the arrow that belongs to no parameter.
    private static func answer(of function: Declaration, in file: SourceFile) -> [String] {
        var depth = 0
        for index in function.signature {
            let token = file.tokens[index]
            if token.isMark("(") { depth += 1 }
            if token.isMark(")") { depth -= 1 }
            if depth == 0, token.isMark("->") {
                return file.tokens[index + 1..<function.signature.upperBound]
                    .prefix { !$0.isWord("where") }.map(\.text)
            }
        }
        return []
    }
}
