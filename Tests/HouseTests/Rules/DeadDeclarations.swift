/// Declarations that nothing speaks of.
///
/// The rule compares names, not meanings: a declaration is dead if its name stands once in all of
/// Sources, where it is declared. What is public also counts as used where an article, the
/// read-me or a test names it. So it misses much, and is right where it speaks up.
enum DeadDeclarations {
    /// Requirements of protocols that are declared elsewhere: what meets them is called from there.
    static let foreignRequirements: Set<String> = [
        "CodingKeys", "buildArray", "buildBlock", "buildEither", "buildExpression",
        "buildFinalResult", "buildOptional", "buildPartialBlock", "checkIsolated", "codingPath",
        "configuration", "customMirror", "debugDescription", "description", "encode",
        "errorDescription", "hash", "isAtEnd", "isIsolatingCurrentContext",
        "isSameExclusiveExecutionContext", "makeAsyncIterator", "makeIterator", "metadataProvider",
        "minimumResolution", "singleValueContainer", "superDecoder", "superEncoder",
        "testDescription", "unownedExecutor", "userInfo", "validate",
    ]

    /// Cases and properties of these are reached by code that the compiler writes.
    private static let synthesizing: Set<String> = [
        "CaseIterable", "Codable", "CodingKey", "Decodable", "Encodable", "OptionSet",
        "ExpressibleByArgument", "EnumerableFlag",
    ]

    /// The targets whose public declarations an application's author calls.
    static let faces: Set<String> = [
        "Journaling", "Redux", "StateCoding", "Statecast", "StatecastClient", "StatecastTesting",
    ]

    /// The target whose `package` declarations are for the tests of this package.
    private static let instrumentTarget = "StatecastTesting"

    /// The instruments of tests: types, with all their members, and members.
    static let instruments: Set<String> = [
        "Sockets.BlockingConnection", "Sockets.Errno", "Sockets.EventLoop.timerCount",
        "Sockets.SystemCalls.option",
    ]

    static func findings(in tree: SourceTree) -> [Finding] {
        let names = NameCounts(tree)
        let declarations = tree.sources.flatMap(\.declarations)
        let synthesized = Set(
            declarations.filter { !synthesizing.isDisjoint(with: $0.inherited) }.map(\.fullName))
        let required = foreignRequirements.union(requirements(in: tree))
        return tree.sources.flatMap { file in
            let target = file.target
            let entries = Set(
                file.declarations.filter { $0.attributes.contains("@main") }.map(\.fullName))
            return file.declarations.filter { declaration in
                names.count(of: declaration, in: file, target) == 1
                    && isCalledByName(declaration)
                    && !(declaration.name == "main" && entries.contains(declaration.scope))
                    && !required.contains(declaration.name)
                    && !(names.elsewhere.contains(declaration.name)
                        && isForOthers(declaration, in: file))
                    && !(isData(declaration) && synthesized.contains(declaration.scope))
            }.map { declaration in
                let isTested = names.elsewhere.contains(declaration.name)
                return Finding(
                    .deadDeclarations, "\(target).\(declaration.fullName)", in: file,
                    line: declaration.line,
                    "nothing speaks of \(declaration.name): strike it"
                        + (isTested ? ", with the tests of it" : ""))
            }
        }
    }

    /// Counts each name in the code that can see it.
    private struct NameCounts {
        /// Names that tests and articles speak of.
        let elsewhere: Set<String>
        private var all: [String: Int] = [:]
        private var targets: [String: [String: Int]] = [:]
        private var files: [String: [String: Int]] = [:]

        init(_ tree: SourceTree) {
            let tests = tree.files.filter { !$0.isSource }.flatMap(\.tokens).filter(\.isName)
            elsewhere = Set(tests.map(\.text)).union(tree.articles.values.flatMap(words))
            for file in tree.sources {
                let target = file.target
                for token in file.tokens where token.isName {
                    all[token.text, default: 0] += 1
                    targets[target, default: [:]][token.text, default: 0] += 1
                    files[file.path, default: [:]][token.text, default: 0] += 1
                }
            }
        }

        func count(of declaration: Declaration, in file: SourceFile, _ target: String) -> Int {
            let modifiers = declaration.modifiers
            let isShared =
                modifiers.contains("package") || isShown(declaration, in: file)
                || isCaseForPackage(declaration, in: file)
            let isOfFile = modifiers.contains("private") || modifiers.contains("fileprivate")
            let names = isOfFile ? files[file.path] : isShared ? all : targets[target]
            return names?[declaration.name] ?? 0
        }
    }

    /// The members of this repository's protocols: what meets them is called through them.
    private static func requirements(in tree: SourceTree) -> Set<String> {
        var names: Set<String> = []
        for file in tree.sources {
            for declaration in file.declarations {
                guard let parent = declaration.parent, file.declarations[parent].kind == .protocol
                else { continue }
                names.insert(declaration.name)
            }
        }
        return names
    }

    private static func words(of article: String) -> [String] {
        article.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }

    private static func isData(_ declaration: Declaration) -> Bool {
        switch declaration.kind {
        case .enumCase: true
        case .variable: declaration.body == nil && !declaration.modifiers.contains("static")
        default: false
        }
    }

    /// Code that uses it has to say its name.
    private static func isCalledByName(_ declaration: Declaration) -> Bool {
        switch declaration.kind {
        case .extension, .initializer, .deinitializer, .subscript, .associatedtype: return false
        default: break
        }
        let isOperator = declaration.name.first.map { !$0.isLetter && $0 != "_" } ?? true
        let entries: Set<String> = ["@main", "@_cdecl", "@_silgen_name"]
        return !isOperator && entries.isDisjoint(with: declaration.attributes)
            && !declaration.modifiers.contains("override")
    }

    /// Its users may be outside of Sources.
    private static func isForOthers(_ declaration: Declaration, in file: SourceFile) -> Bool {
        let names = [declaration.scope, declaration.fullName].map { "\(file.target).\($0)" }
        return faces.contains(file.target) && isShown(declaration, in: file)
            || file.target == instrumentTarget && declaration.modifiers.contains("package")
            || names.contains(where: instruments.contains)
    }

    /// A case has no modifier of its own: all targets see it where they see its enum.
    private static func isCaseForPackage(_ declaration: Declaration, in file: SourceFile) -> Bool {
        guard declaration.kind == .enumCase, let parent = declaration.parent else { return false }
        return file.declarations[parent].modifiers.contains("package")
    }

    /// An application's author can see it.
    private static func isShown(_ declaration: Declaration, in file: SourceFile) -> Bool {
        if declaration.isPublic { return true }
        guard declaration.kind == .enumCase, let parent = declaration.parent else { return false }
        return file.declarations[parent].isPublic
    }
}
