/// The package's face: everything that an application's author, or a test of theirs, may call.
enum PublicDeclarations {
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
}
