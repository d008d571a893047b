/// Preconditions and assertions: the places where code says what it relies on.
enum Assertions {
    /// In a thousand lines, at least.
    static let limit = 5
    /// The targets that live by indices, versions and orders.
    static let targets = ["HTTPServer", "Sessions", "StateCoding"]

    private static let names: Set<String> = [
        "assert", "assertionFailure", "precondition", "preconditionFailure",
    ]

    /// The number of a finding is how many are missing in a thousand lines.
    static func findings(in tree: SourceTree) -> [Finding] {
        targets.compactMap { target in
            let files = tree.sources.filter { $0.target == target }
            let lines = files.reduce(0) { $0 + $1.lineCount }
            let count = files.reduce(0) { $0 + assertions(in: $1) }
            guard lines > 0, count * 1000 < limit * lines else { return nil }
            let missing = limit - count * 1000 / lines
            return Finding(
                .assertions, target, number: missing, at: "Sources/\(target)",
                "\(count) preconditions in \(lines) lines, "
                    + "where \(limit) in a thousand are asked for: "
                    + "say what an index, a version or an order relies on")
        }
    }

    private static func assertions(in file: SourceFile) -> Int {
        file.tokens.indices.dropLast().count { index in
            file.tokens[index].kind == .word && names.contains(file.tokens[index].text)
                && file.tokens[index + 1].isMark("(")
        }
    }
}
