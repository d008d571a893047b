/// Test files that open sockets to test what Statecast does.
///
/// A file counts if it holds a test and names something that opens sockets: a type of the list, or
/// a function or type of its own target that does, however far.
enum SocketFiles {
    static let limit = 6

    /// The types that open sockets. `TestServer` does so by `run`; a `MemoryServer` gives a test the
    /// same clients without.
    static let openers: Set<String> = ["BlockingConnection", "MockServer", "OutboundClient"]

    /// The tests of the whole binary, and the examples of the articles, which show servers.
    static let exempt: Set<String> = ["DocumentationTests", "EndToEndTests"]

    /// The paths of the files, in the test targets that have Statecast behind them.
    static func list(in tree: SourceTree) -> [String] {
        tree.manifest.targets.filter { target in
            target.isTest && !exempt.contains(target.name)
                && tree.manifest.closure(of: target.name).contains("Statecast")
        }.flatMap { target in
            let files = tree.files.filter { $0.target == target.name }
            let openers = openers(in: files)
            return files.filter { file in
                file.tokens.contains { $0.kind == .attribute && $0.text == "@Test" }
                    && names(openers, in: file.tokens[...])
            }.map(\.path)
        }.sorted()
    }

    static func findings(in tree: SourceTree) -> [Finding] {
        let list = list(in: tree)
        guard list.count > limit else { return [] }
        return [
            Finding(
                .socketFiles, "Tests", number: list.count, at: list.joined(separator: ", "),
                "\(list.count) test files open sockets for what Statecast does, "
                    + "where \(limit) are allowed: test a session, its durability or a resource "
                    + "as a value")
        ]
    }

    /// The types of the list, and what the files of a target declare for each other that opens
    /// sockets through them.
    private static func openers(in files: [SourceFile]) -> Set<String> {
        var openers = openers
        var count = 0
        repeat {
            count = openers.count
            for file in files {
                for declaration in file.declarations where isShared(declaration) {
                    let end = declaration.body?.upperBound ?? declaration.signature.upperBound
                    let tokens = file.tokens[declaration.signature.lowerBound..<end]
                    if names(openers, in: tokens) { openers.insert(declaration.name) }
                }
            }
        } while openers.count > count
        return openers
    }

    /// Other files can name the declaration.
    private static func isShared(_ declaration: Declaration) -> Bool {
        declaration.scope.isEmpty && (declaration.holdsMembers || declaration.kind == .function)
            && declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
            && !declaration.attributes.contains("@Test")
    }

    private static func runsTestServer(_ tokens: ArraySlice<Token>) -> Bool {
        tokens.indices.dropLast(2).contains { index in
            tokens[index].text == "TestServer" && tokens[index + 1].text == "."
                && tokens[index + 2].text == "run"
        }
    }

    private static func names(_ openers: Set<String>, in tokens: ArraySlice<Token>) -> Bool {
        tokens.contains { $0.kind == .word && openers.contains($0.text) } || runsTestServer(tokens)
    }
}
