import Testing

@Suite struct `Before the first request` {
    /// The words for State and Action are the names of what they are marked with.
    private static let concepts: Set<String> = [
        "Application", "StateValue", "ActionGroup", "Rejection", "Step", "Work", "Answer",
        "Loadable", "Views",
    ]
    /// One line serves the application.
    private static let serving: Set<String> = ["Server", "Served"]

    /// `reduce` is the tenth.
    @Test(arguments: ["README.md", "Sources/Statecast/Statecast.docc/Getting-started.md"])
    func `an author meets ten words, and no other type of the library`(file: String) throws {
        let types = Set(
            try Articles.text(of: "Tests/HouseTests/PublicDeclarations.txt")
                .split(separator: "\n").compactMap { line in
                    line.split(separator: " ").last?.prefix { $0 != "." }
                }.map(String.init))
        try #require(types.isSuperset(of: Self.concepts.union(Self.serving)))
        let lines = try Articles.text(of: file).split(
            separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0 == "## Using it" } ?? lines.endIndex
        let code = try Articles.blocks(in: "swift")
            .filter { $0.file == file && $0.lineNumber < end }.flatMap(\.lines)
        try #require(code.contains { $0.contains("reduce(") })
        let words = Set(
            code.filter { !$0.hasPrefix("//") }.flatMap {
                $0.split { !$0.isLetter && !$0.isNumber }
            }.map(String.init))
        let met = words.intersection(types)
        #expect(met.subtracting(Self.serving).isSubset(of: Self.concepts), "\(met.sorted())")
    }
}
