/// The package's face: everything that an application's author, or a test of theirs, may call.
enum PublicDeclarations {
    static let limit = 550

    /// Each by target and name: `Redux Store.dispatch`.
    static func list(in tree: SourceTree) -> [String] {
        tree.sources.flatMap { file in
            file.declarations.filter(\.isPublic).map { "\(file.target) \($0.fullName)" }
        }
    }

    /// `- A` for what is no longer in the list, `+ A` for what is new.
    static func differences(from known: [String], to list: [String]) -> [String] {
        let changes = list.difference(from: known)
        let removed = changes.removals.map { change in
            if case .remove(_, let line, _) = change { "- \(line)" } else { "" }
        }
        let added = changes.insertions.map { change in
            if case .insert(_, let line, _) = change { "+ \(line)" } else { "" }
        }
        return removed + added
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
