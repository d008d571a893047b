/// The package's face: everything that an application's author, or a test of theirs, may call.
enum PublicDeclarations {
    static let limit = 550

    /// Each by target and name: `Redux Store.dispatch`.
    static func list(in tree: SourceTree) -> [String] {
        tree.sources.flatMap { file in
            file.declarations.filter(\.isPublic).map { "\(file.target) \($0.fullName)" }
        }
    }

    static func findings(in tree: SourceTree) -> [Finding] {
        let list = list(in: tree)
        guard list.count > limit else { return [] }
        let targets = Dictionary(grouping: list) { $0.prefix { $0 != " " } }
        let counts = targets.map { "\($0.key) \($0.value.count)" }.sorted()
        return [
            Finding(
                .publicDeclarations, "Sources", number: list.count, at: "Sources",
                "\(list.count) declarations are public, where \(limit) are allowed "
                    + "(\(counts.joined(separator: ", "))): "
                    + "package is enough for what only this package calls")
        ]
    }
}
