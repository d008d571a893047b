/// Finds what a source file declares, by its keywords and braces.
///
/// The reader knows nothing of types and resolves no name. Of local code it finds types and
/// functions, but neither variables nor constants.
struct DeclarationReader {
    private let tokens: [Token]
    private var index = 0
    /// The owner of each open brace: an index of `declarations`, nil for other code.
    private var open: [Int?] = []
    /// The declarations whose bodies begin at these tokens.
    private var bodies: [Int: Int] = [:]
    private var declarations: [Declaration] = []

    /// The declarations that `tokens`, which hold no comments, make.
    static func declarations(in tokens: [Token]) -> [Declaration] {
        var reader = DeclarationReader(tokens: tokens)
        while reader.index < tokens.count { reader.readToken() }
        return reader.declarations
    }

    private init(tokens: [Token]) {
        self.tokens = tokens
    }

    private mutating func readToken() {
        let token = tokens[index]
        if token.isMark("{") {
            open.append(bodies[index])
        } else if token.isMark("}") {
            close()
        } else if token.isWord("import"), open.isEmpty {
            skipImport()
        } else if token.kind == .word, let kind = keyword(token.text) {
            readDeclaration(kind)
        }
        index += 1
    }

    private mutating func close() {
        guard let declared = open.popLast() ?? nil,
            let start = declarations[declared].body?.lowerBound
        else { return }
        declarations[declared].body = start..<index
        declarations[declared].lines = declarations[declared].lines.lowerBound...tokens[index].line
    }

    /// `import struct Module.Name` declares nothing.
    private mutating func skipImport() {
        let line = tokens[index].line
        while index + 1 < tokens.count, tokens[index + 1].line == line { index += 1 }
    }

    private var surrounding: Declaration? {
        guard let last = open.last, let last else { return nil }
        return declarations[last]
    }

    private func token(_ distance: Int) -> Token? {
        tokens.indices.contains(index + distance) ? tokens[index + distance] : nil
    }

    /// The kind that the word at `index` declares; nil for a name, a label or a part of a statement.
    private func keyword(_ word: String) -> Declaration.Kind? {
        guard token(-1)?.isMark(".") != true, let next = token(1) else { return nil }
        let isMember = surrounding?.holdsMembers ?? false
        switch word {
        case "struct", "enum", "protocol", "extension", "typealias", "associatedtype":
            return next.isName ? Declaration.Kind(rawValue: word) : nil
        case "class", "actor":
            let isModifier = ["func", "var", "let", "subscript", "init"].contains(next.text)
            return next.isName && !isModifier ? Declaration.Kind(rawValue: word) : nil
        case "func": return .function
        case "init": return isMember && !next.isMark(".") ? .initializer : nil
        case "deinit": return isMember ? .deinitializer : nil
        case "subscript": return isMember ? .subscript : nil
        case "var", "let": return isMember || open.isEmpty ? .variable : nil
        case "case": return surrounding?.kind == .enum ? .enumCase : nil
        default: return nil
        }
    }

    private mutating func readDeclaration(_ kind: Declaration.Kind) {
        let leading = readModifiers()
        switch kind {
        case .struct, .enum, .class, .actor, .protocol, .extension:
            readType(kind, leading)
        case .function, .initializer, .deinitializer, .subscript:
            readFunction(kind, leading)
        case .variable: readVariable(leading)
        case .enumCase: readCases(leading)
        case .typealias, .associatedtype:
            add(kind, name: tokens[index + 1].text, leading, signature: index + 1..<index + 2)
        }
    }

    /// The modifiers and attributes before a keyword.
    private struct Leading {
        var modifiers: Set<String> = []
        var attributes: Set<String> = []
        var line: Int
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "override", "mutating", "nonmutating", "borrowing", "consuming", "lazy", "weak",
        "unowned", "nonisolated", "isolated", "distributed", "indirect", "convenience", "required",
        "dynamic", "optional", "prefix", "infix", "postfix",
    ]

    private func readModifiers() -> Leading {
        var leading = Leading(line: tokens[index].line)
        var position = index - 1
        while position >= 0 {
            var argument = ""
            var word = position
            if tokens[position].isMark(")") {
                guard let opening = opening(of: position), opening > 0 else { break }
                argument = "(\(tokens[opening + 1].text))"
                word = opening - 1
            }
            let token = tokens[word]
            if token.kind == .attribute {
                leading.attributes.insert(token.text)
            } else if token.kind == .word, Self.modifiers.contains(token.text), !isCase(at: word) {
                leading.modifiers.insert(token.text + argument)
            } else {
                break
            }
            leading.line = token.line
            position = word - 1
        }
        return leading
    }

    /// `case open` names a case, though `open` is a modifier elsewhere.
    private func isCase(at position: Int) -> Bool {
        guard position > 0 else { return false }
        let last = tokens[position - 1]
        return last.isWord("case") || last.isMark(",") || last.isMark(".")
    }

    private func opening(of closing: Int) -> Int? {
        var depth = 0
        for position in stride(from: closing, through: 0, by: -1) {
            if tokens[position].isMark(")") { depth += 1 }
            if tokens[position].isMark("(") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Takes a declaration in; its body begins at the token `body`.
    private mutating func add(
        _ kind: Declaration.Kind, name: String, _ leading: Leading, signature: Range<Int>,
        body: Int? = nil, inherited: [String] = []
    ) {
        let around = open.compactMap { $0 }.filter { declarations[$0].holdsMembers }
        let scope = around.map { declarations[$0].name }.joined(separator: ".")
        if let body { bodies[body] = declarations.count }
        declarations.append(
            Declaration(
                kind: kind, name: name, scope: scope, modifiers: leading.modifiers,
                attributes: leading.attributes, line: tokens[index].line,
                lines: leading.line...tokens[max(index, signature.upperBound - 1)].line,
                inherited: inherited, signature: signature,
                body: body.map { $0 + 1..<$0 + 1 }, parent: open.last ?? nil))
    }

    private mutating func readType(_ kind: Declaration.Kind, _ leading: Leading) {
        var name = ""
        var position = index + 1
        while position < tokens.count, tokens[position].isName || tokens[position].isMark(".") {
            name += tokens[position].text
            position += 1
        }
        let start = position
        guard let body = firstBrace(from: position) else { return }
        add(
            kind, name: name, leading, signature: start..<body, body: body,
            inherited: inherited(in: start..<body))
        index = body - 1
    }

    /// The words behind the colon that is in no brackets, without those of a `where` clause.
    private func inherited(in range: Range<Int>) -> [String] {
        var angles = 0
        var names: [String]?
        for position in range {
            let token = tokens[position]
            if token.isWord("where") { break }
            if token.kind == .mark {
                angles += token.text.count { $0 == "<" } - token.text.count { $0 == ">" }
            }
            if token.isMark(":"), angles == 0, names == nil { names = [] }
            if token.isName { names?.append(token.text) }
        }
        return names ?? []
    }

    private mutating func readFunction(_ kind: Declaration.Kind, _ leading: Leading) {
        let hasName = kind == .function
        let name = hasName ? token(1)?.text ?? "" : tokens[index].text
        let start = index + (hasName ? 2 : 1)
        guard start <= tokens.count else { return }
        let end = endOfSignature(from: start)
        let hasBody = end < tokens.count && tokens[end].isMark("{")
        add(kind, name: name, leading, signature: start..<end, body: hasBody ? end : nil)
        // The name, which may be a keyword in backticks, is not read again; default values are.
        index = start - 1
    }

    /// The brace that begins the body, or the first token of the next declaration.
    private func endOfSignature(from start: Int) -> Int {
        var depth = 0
        var position = start
        while position < tokens.count {
            let token = tokens[position]
            switch token.text {
            case "(" where token.kind == .mark, "[" where token.kind == .mark: depth += 1
            case ")" where token.kind == .mark, "]" where token.kind == .mark: depth -= 1
            case "{" where depth == 0 && token.kind == .mark: return position
            case "}" where depth == 0 && token.kind == .mark: return position
            default:
                if depth == 0, position > start, isStart(ofDeclaration: token) { return position }
            }
            position += 1
        }
        return position
    }

    private static let starts: Set<String> = modifiers.union([
        "func", "var", "let", "init", "deinit", "subscript", "case", "struct", "enum", "protocol",
        "extension", "typealias", "associatedtype", "import",
    ])

    private func isStart(ofDeclaration token: Token) -> Bool {
        switch token.kind {
        case .word: Self.starts.contains(token.text)
        case .directive: ["#if", "#else", "#elseif", "#endif"].contains(token.text)
        default: false
        }
    }

    private func firstBrace(from start: Int) -> Int? {
        tokens[start...].firstIndex { $0.isMark("{") }
    }

    /// `let name: Type { … }`, `let name = value`, `let (one, two) = value`.
    private mutating func readVariable(_ leading: Leading) {
        var names: [String] = []
        var position = index + 1
        if token(1)?.isMark("(") == true {
            while position < tokens.count, !tokens[position].isMark(")") {
                if tokens[position].isName { names.append(tokens[position].text) }
                position += 1
            }
        } else if let name = token(1), name.isName {
            names = [name.text]
        }
        position += 1
        let end = endOfAnnotation(from: position)
        let hasBody = end < tokens.count && tokens[end].isMark("{")
        for (number, name) in names.enumerated() {
            let isLast = number == names.count - 1
            add(
                .variable, name: name, leading, signature: position..<max(position, end),
                body: hasBody && isLast ? end : nil)
        }
        index = position - 1
    }

    /// The brace of an accessor, an equals sign, or the first token of another line.
    private func endOfAnnotation(from start: Int) -> Int {
        var depth = 0
        var position = start
        while position < tokens.count {
            let token = tokens[position]
            let isNewLine = token.line > tokens[position - 1].line
            if depth == 0, token.isMark("{") || token.isMark("=") || token.isMark("}") {
                return position
            }
            if depth == 0, isNewLine, !continues(tokens[position - 1]), !token.isMark(".") {
                return position
            }
            if token.isMark("(") || token.isMark("[") { depth += 1 }
            if token.isMark(")") || token.isMark("]") { depth -= 1 }
            position += 1
        }
        return position
    }

    /// A type goes on behind this token, on the next line, too.
    private func continues(_ token: Token) -> Bool {
        [":", "->", "&", ",", "<"].contains(token.text) && token.kind == .mark
            || ["any", "some", "let", "var"].contains(token.text)
    }

    /// `case one(Int), two = "2"`
    private mutating func readCases(_ leading: Leading) {
        var position = index
        repeat {
            position += 1
            guard position < tokens.count, tokens[position].isName else { break }
            let name = position
            position += 1
            if position < tokens.count, tokens[position].isMark("(") {
                position = (closing(of: position) ?? position) + 1
            }
            if position < tokens.count, tokens[position].isMark("=") { position += 2 }
            add(.enumCase, name: tokens[name].text, leading, signature: name + 1..<position)
        } while position < tokens.count && tokens[position].isMark(",")
        index = position - 1
    }

    private func closing(of opening: Int) -> Int? {
        var depth = 0
        for position in opening..<tokens.count {
            if tokens[position].isMark("(") { depth += 1 }
            if tokens[position].isMark(")") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }
}
