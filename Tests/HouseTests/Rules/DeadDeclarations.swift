/// Declarations that nothing speaks of.
///
/// The rule compares names, not meanings: a declaration is dead if its name stands once in all of
/// Sources, where it is declared. What is public also counts as used where an article, the
/// read-me or a test names it. So it misses much, and is right where it speaks up.
enum DeadDeclarations {
    /// Requirements of protocols that are declared elsewhere: what meets them is called from there.
    private static let foreignRequirements: Set<String> = [
        "CodingKeys", "allKeys", "buildArray", "buildBlock", "buildEither", "buildExpression",
        "buildFinalResult", "buildOptional", "buildPartialBlock", "checkIsolated", "codingPath",
        "configuration", "customMirror", "debugDescription", "description", "encode", "enqueue",
        "errorDescription", "hash", "isAtEnd", "isIsolatingCurrentContext",
        "isSameExclusiveExecutionContext", "makeAsyncIterator", "makeIterator", "metadataProvider",
        "minimumResolution", "run", "singleValueContainer", "superDecoder", "superEncoder",
        "testDescription", "unownedExecutor", "userInfo", "validate",
    ]

    /// Cases and properties of these are reached by code that the compiler writes.
    private static let synthesizing: Set<String> = [
        "CaseIterable", "Codable", "CodingKey", "Decodable", "Encodable", "OptionSet",
        "ExpressibleByArgument", "EnumerableFlag",
    ]

    /// The targets whose public declarations an application's author calls.
    private static let faces: Set<String> = [
        "HTTPClient", "Journaling", "Redux", "StateCoding", "SignedHooks", "Statecast",
        "StatecastClient", "StatecastClientCurl", "StatecastTesting",
    ]

    /// The target whose `package` declarations are for the tests of this package.
    private static let instrumentTarget = "StatecastTesting"

    /// The instruments of tests: types, with all their members, and members.
    static let instruments: Set<String> = [
        "Sockets.BlockingConnection", "Sockets.Errno", "Sockets.EventLoop.timerCount",
    ]

    static func findings(in tree: SourceTree) -> [String] {
        let counts = NameCounts(tree)
        var required = foreignRequirements
        var synthesized: Set<String> = []
        for file in tree.sources {
            for declaration in file.declarations {
                let parent = declaration.parent.map { file.declarations[$0].kind }
                if parent == "protocol" { required.insert(declaration.name) }
                let words = file.tokens[declaration.signature].map(\.text)
                if declaration.holdsMembers, !synthesizing.isDisjoint(with: words) {
                    synthesized.insert(declaration.fullName)
                }
            }
        }
        return tree.sources.flatMap { file in
            file.declarations.filter { declaration in
                counts.count(of: declaration, in: file) == 1 && isCalledByName(declaration)
                    && !(declaration.name == "main" && file.hasEntry(declaration.scope))
                    && !required.contains(declaration.name)
                    && !(counts.elsewhere.contains(declaration.name)
                        && isForOthers(declaration, in: file))
                    && !((declaration.kind == "case" || declaration.isStored)
                        && synthesized.contains(declaration.scope))
            }.map {
                let isTested = counts.elsewhere.contains($0.name)
                return "\(file.path):\($0.line): nothing speaks of \($0.name): strike it"
                    + (isTested ? ", with the tests of it" : "")
            }
        }
    }

    /// Counts each name in the code that can see it.
    private struct NameCounts {
        /// Names that tests and articles speak of.
        private(set) var elsewhere: Set<String> = []
        /// By name and place: a file, a target, or all of Sources, which is "".
        private var counts: [String: [String: Int]] = [:]

        init(_ tree: SourceTree) {
            for file in tree.files {
                for token in file.tokens where token.isName {
                    guard file.isSource else {
                        elsewhere.insert(token.text)
                        continue
                    }
                    for place in ["", file.target, file.path] {
                        counts[token.text, default: [:]][place, default: 0] += 1
                    }
                }
            }
            for article in tree.articles.values {
                let words = article.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                elsewhere.formUnion(words.map(String.init))
            }
        }

        func count(of declaration: Declaration, in file: SourceFile) -> Int {
            let isOfFile = !declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
            let isShared = !file.modifiers(of: declaration).isDisjoint(with: ["package", "public"])
            return counts[declaration.name]?[isOfFile ? file.path : isShared ? "" : file.target]
                ?? 0
        }
    }

    /// Code that uses it has to say its name.
    private static func isCalledByName(_ declaration: Declaration) -> Bool {
        let first = declaration.name.first ?? "="
        return !["extension", "init", "deinit", "subscript", "associatedtype"]
            .contains(declaration.kind) && (first.isLetter || first == "_")
            && declaration.modifiers.isDisjoint(with: ["@main", "@_cdecl", "@_silgen_name"])
            && !declaration.modifiers.contains("override")
    }

    /// Its users may be outside of Sources.
    private static func isForOthers(_ declaration: Declaration, in file: SourceFile) -> Bool {
        let modifiers = file.modifiers(of: declaration)
        let names = [declaration.scope, declaration.fullName].map { "\(file.target).\($0)" }
        return faces.contains(file.target) && modifiers.contains("public")
            || file.target == instrumentTarget && modifiers.contains("package")
            || !instruments.isDisjoint(with: names)
    }
}

extension SourceFile {
    /// A case has no modifier of its own: all see it who see its enum.
    fileprivate func modifiers(of declaration: Declaration) -> Set<String> {
        guard declaration.kind == "case", let parent = declaration.parent else {
            return declaration.modifiers
        }
        return declarations[parent].modifiers
    }

    fileprivate func hasEntry(_ type: String) -> Bool {
        declarations.contains { $0.fullName == type && $0.modifiers.contains("@main") }
    }
}
