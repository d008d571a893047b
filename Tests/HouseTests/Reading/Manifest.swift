/// The table of targets that `Package.swift` shows to its reader, before any loop adds to it.
struct Manifest {
    struct Target {
        let name: String
        let isTest: Bool
        /// `Sources/Examples/Rides`
        let path: String
        /// The modules that it names: targets, and products of other packages.
        let dependencies: [String]
        let line: Int
    }

    private(set) var targets: [Target] = []
    /// Products of other packages: their modules are named like them.
    private(set) var products: Set<String> = []
    /// Constants of the manifest that hold a product: `logging` is `Logging`.
    private var constants: [String: String] = [:]

    init(text: String) {
        let tokens = Tokenizer.tokens(of: text).filter { !$0.isComment }
        for index in tokens.indices where tokens[index].isMark(".") {
            guard index + 2 < tokens.count, tokens[index + 2].isMark("(") else { continue }
            switch tokens[index + 1].text {
            case "product": readProduct(tokens, at: index)
            case "target", "executableTarget", "testTarget": readTarget(tokens, at: index)
            default: continue
            }
        }
    }

    /// The target that a file of `Sources` or `Tests` belongs to.
    func target(of path: String) -> Target? {
        targets.filter { path.hasPrefix("\($0.path)/") }.max { $0.path.count < $1.path.count }
    }

    func target(named name: String) -> Target? {
        targets.first { $0.name == name }
    }

    /// The modules that a target names, and those behind them; products of other packages, too.
    func closure(of name: String) -> Set<String> {
        var found: Set<String> = []
        var rest = target(named: name)?.dependencies ?? []
        while let next = rest.popLast() {
            guard found.insert(next).inserted else { continue }
            rest += target(named: next)?.dependencies ?? []
        }
        return found
    }

    /// `let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")`
    private mutating func readProduct(_ tokens: [Token], at index: Int) {
        guard let name = string(labelled: "name", in: arguments(tokens, after: index + 2)) else {
            return
        }
        products.insert(name)
        guard index > 0, tokens[index - 1].isMark("="),
            let keyword = tokens[..<index].lastIndex(where: { $0.isWord("let") })
        else { return }
        constants[tokens[keyword + 1].text] = name
    }

    private mutating func readTarget(_ tokens: [Token], at index: Int) {
        let inside = arguments(tokens, after: index + 2)
        guard let name = string(labelled: "name", in: inside) else { return }
        let isTest = tokens[index + 1].text == "testTarget"
        let folder = isTest ? "Tests" : "Sources"
        targets.append(
            Target(
                name: name, isTest: isTest,
                path: string(labelled: "path", in: inside) ?? "\(folder)/\(name)",
                dependencies: dependencies(in: inside), line: tokens[index].line))
    }

    /// The tokens up to the parenthesis that closes the one at `opening`.
    private func arguments(_ tokens: [Token], after opening: Int) -> ArraySlice<Token> {
        var depth = 0
        for position in opening..<tokens.count {
            if tokens[position].isMark("(") { depth += 1 }
            if tokens[position].isMark(")") { depth -= 1 }
            if depth == 0 { return tokens[opening + 1..<position] }
        }
        return tokens[tokens.endIndex...]
    }

    private func string(labelled label: String, in arguments: ArraySlice<Token>) -> String? {
        for index in arguments.indices.dropLast(2)
        where arguments[index].isWord(label) && arguments[index + 1].isMark(":") {
            return arguments[index + 2].kind == .string ? arguments[index + 2].text : nil
        }
        return nil
    }

    /// The names in the array behind `dependencies:`; a constant that is not known stays as it is.
    private func dependencies(in arguments: ArraySlice<Token>) -> [String] {
        guard let label = arguments.firstIndex(where: { $0.isWord("dependencies") }) else {
            return []
        }
        var names: [String] = []
        var depth = 0
        for index in arguments.indices[(label + 2)...] {
            let (token, last) = (arguments[index], arguments[index - 1])
            if token.isMark("[") || token.isMark("(") { depth += 1 }
            if token.isMark("]") || token.isMark(")") { depth -= 1 }
            if depth == 0 { break }
            let isLabelled = last.isMark(":") && arguments[index - 2].isWord("name")
            if token.kind == .string, depth == 1 || isLabelled { names.append(token.text) }
            if token.isName, depth == 1, !last.isMark(".") {
                names.append(constants[token.text] ?? token.text)
            }
        }
        return names
    }
}
