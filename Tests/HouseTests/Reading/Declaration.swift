/// Something that a source file declares.
struct Declaration {
    /// Its keyword: `struct`, `func`, `case`; `var` of constants, too.
    let kind: String
    /// `dispatch`; of an extension what it extends, `Store.Index`.
    let name: String
    /// The types around it, as one name: `Store.Index`; empty at the top of a file.
    let scope: String
    /// Its attributes and modifiers: `@main`, `public`, `private(set)`.
    let modifiers: Set<String>
    /// Of its keyword.
    let line: Int
    var lastLine: Int
    /// Its tokens between its name and its body.
    let signature: Range<Int>
    let hasBody: Bool
    /// The declaration around it: an index of the file's declarations.
    let parent: Int?

    /// `Store.Index.next`
    var fullName: String { scope.isEmpty ? name : "\(scope).\(name)" }

    static let types: Set<String> = ["struct", "enum", "class", "actor", "protocol"]

    var isType: Bool { Self.types.contains(kind) }
    var holdsMembers: Bool { isType || kind == "extension" }
    var isFunction: Bool { ["func", "init", "deinit", "subscript"].contains(kind) }
    var isStored: Bool { kind == "var" && !hasBody && !modifiers.contains("static") }
    var isPublic: Bool { modifiers.contains("public") || modifiers.contains("open") }
}

/// Finds what a source file declares, by the keywords that begin a line or follow a brace.
///
/// The reader knows nothing of types and resolves no name. Of local code it finds types and
/// functions, but neither variables nor constants.
struct DeclarationReader {
    private let tokens: [Token]
    private var index = 0
    /// The owner of each open brace: an index of `declarations`, nil for other code.
    private var open: [Int?] = []
    private var declarations: [Declaration] = []

    static func declarations(in tokens: [Token]) -> [Declaration] {
        var reader = DeclarationReader(tokens: tokens)
        while reader.index < tokens.count { reader.readToken() }
        return reader.declarations
    }

    private init(tokens: [Token]) { self.tokens = tokens }

    private func text(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    private mutating func readToken() {
        switch text(index) {
        case "{": open.append(nil)
        case "}":
            if let declared = open.popLast() ?? nil {
                declarations[declared].lastLine = tokens[index].line
            }
        default:
            guard tokens[index].isFirstOfLine || ["{", "}", ";"].contains(text(index - 1)) else {
                break
            }
            readDeclaration()
        }
        index += 1
    }

    private var surrounding: Declaration? { (open.last ?? nil).map { declarations[$0] } }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "override", "mutating", "nonmutating", "borrowing", "consuming", "lazy", "weak",
        "unowned", "nonisolated", "isolated", "indirect", "convenience", "required", "prefix",
        "infix", "postfix",
    ]

    private mutating func readDeclaration() {
        var modifiers: Set<String> = []
        var position = index
        while text(position).hasPrefix("@") || Self.modifiers.contains(text(position)),
            text(position) != "class" || isMemberKeyword(text(position + 1))
        {
            let word = text(position)
            let hasArgument = text(position + 1) == "("
            modifiers.insert(
                hasArgument && !word.hasPrefix("@") ? "\(word)(\(text(position + 2)))" : word)
            position = hasArgument ? closing(of: position + 1) + 1 : position + 1
        }
        guard let kind = kind(at: position) else { return }
        index = position
        let line = tokens[position].line
        repeat {
            let (name, start) = name(at: position + 1, of: kind)
            let end = endOfSignature(of: kind, from: start)
            let hasBody = text(end) == "{"
            let around = open.compactMap { $0 }.filter { declarations[$0].holdsMembers }
            declarations.append(
                Declaration(
                    kind: kind, name: name,
                    scope: around.map { declarations[$0].name }.joined(separator: "."),
                    modifiers: modifiers, line: line,
                    lastLine: tokens[max(position, end - 1)].line, signature: start..<end,
                    hasBody: hasBody, parent: open.last ?? nil))
            if hasBody { open.append(declarations.count - 1) }
            index = hasBody ? end : max(position, end - 1)
            position = end
        } while kind == "case" && text(position) == ","
    }

    private func isMemberKeyword(_ word: String) -> Bool {
        ["func", "var", "let", "subscript", "init"].contains(word)
    }

    /// What the word there declares; nil for a name, a label or a part of a statement.
    private func kind(at position: Int) -> String? {
        let isMember = surrounding?.holdsMembers ?? false
        let word = text(position)
        switch word {
        case "struct", "enum", "class", "actor", "protocol", "extension", "typealias",
            "associatedtype":
            return position + 1 < tokens.count && tokens[position + 1].isName ? word : nil
        case "func": return word
        case "init", "deinit", "subscript": return isMember ? word : nil
        case "var", "let": return isMember || open.isEmpty ? "var" : nil
        case "case": return surrounding?.kind == "enum" ? word : nil
        default: return nil
        }
    }

    /// The name, and the first token behind it.
    private func name(at start: Int, of kind: String) -> (String, Int) {
        if ["init", "deinit", "subscript"].contains(kind) { return (kind, start) }
        var end = start + 1
        if kind == "extension" {
            while text(end) == "." { end += 2 }
        } else if kind == "func", !tokens[start].isName {
            while text(end) != "(", text(end) != "<" { end += 1 }
        }
        return (tokens[start..<min(end, tokens.count)].map(\.text).joined(), end)
    }

    private func closing(of opening: Int) -> Int {
        var depth = 0
        for position in opening..<tokens.count {
            depth += ["(", "["].contains(text(position)) ? 1 : 0
            depth -= [")", "]"].contains(text(position)) ? 1 : 0
            if depth == 0 { return position }
        }
        return tokens.count
    }

    /// Marks and words behind which, and with which, a signature goes on in the next line.
    private static let before: Set<String> = [
        ",", ":", "->", "&", "<", "=", "where", "any", "some",
    ]
    private static let after: Set<String> = [
        ",", ":", "->", "&", ">", "=", ".", "where", "throws", "async", "rethrows",
    ]

    /// The brace of the body, or what follows the declaration; of a variable, its equals sign.
    private func endOfSignature(of kind: String, from start: Int) -> Int {
        var position = start
        while position < tokens.count {
            let word = text(position)
            if ["{", "}", ";"].contains(word) || kind == "var" && word == "=" { return position }
            if kind == "case", word == "," { return position }
            let goesOn = Self.after.contains(word) || Self.before.contains(text(position - 1))
            if tokens[position].isFirstOfLine, !goesOn { return position }
            position = ["(", "["].contains(word) ? closing(of: position) + 1 : position + 1
        }
        return position
    }
}
