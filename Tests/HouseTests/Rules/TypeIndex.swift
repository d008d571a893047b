/// The types of Sources, and which of them each extension belongs to.
struct TypeIndex {
    struct Entry {
        let file: SourceFile
        let declaration: Declaration
        let target: String

        /// `Redux.Store.Index`
        var subject: String { "\(target).\(declaration.fullName)" }
    }

    private(set) var types: [Entry] = []
    private var byName: [String: [Int]] = [:]

    init(_ tree: SourceTree) {
        for file in tree.sources {
            let target = file.target
            for declaration in file.declarations where declaration.isType {
                byName[declaration.fullName, default: []].append(types.count)
                types.append(Entry(file: file, declaration: declaration, target: target))
            }
        }
    }

    /// The type that an extension in `target` extends; nil for one that is not of this repository.
    /// Of several with one name that of the same target counts, or else the first.
    func type(named name: String, from target: String) -> Entry? {
        let found = (byName[name] ?? []).map { types[$0] }
        return found.first { $0.target == target } ?? found.first
    }

    /// The types of each name, by name.
    var groups: [(name: String, entries: [Entry])] {
        byName.keys.sorted().map { name in (name, (byName[name] ?? []).map { types[$0] }) }
    }
}
