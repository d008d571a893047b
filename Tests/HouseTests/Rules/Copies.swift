/// Stored properties, by name and type, that several types have alike: one fact that several nouns
/// carry.
enum Copies {
    /// As many properties in as many types are a finding.
    private static let properties = 4
    private static let types = 3

    /// What is alike today and may be, by the names of the properties, with the reason.
    private static let allowed = [
        "at, by, cause, version": "a test reads of a recording's entry what its file says, no more",
        "email, fullName, mobileNumber, nickname": "the rides and their outside API are two worlds",
        "id, number, picture, season, show, title":
            "the episodes and their outside API are two worlds",
    ]

    static func findings(in tree: SourceTree) -> [String] {
        groups(in: tree).filter { allowed[$0.key] == nil }.sorted { $0.key < $1.key }.map {
            "\($0.value.sorted().joined(separator: ", ")): all have \($0.key): "
                + "let one carry them for the others"
        }
    }

    /// The rows of `allowed` that nothing needs.
    static func notes(in tree: SourceTree) -> [String] {
        let groups = groups(in: tree)
        return allowed.keys.filter { groups[$0] == nil }.sorted().map {
            "strike the row of Copies.allowed: \($0)"
        }
    }

    /// The types that share properties, by the names of these.
    private static func groups(in tree: SourceTree) -> [String: Set<String>] {
        let all = storedProperties(in: tree).filter { $0.value.count >= properties }
            .sorted { $0.key < $1.key }
        var found: [Set<String>: Set<String>] = [:]
        for (index, first) in all.enumerated() {
            for second in all[(index + 1)...] {
                let shared = first.value.intersection(second.value)
                guard shared.count >= properties, found[shared] == nil else { continue }
                let types = Set(all.filter { $0.value.isSuperset(of: shared) }.map(\.key))
                if types.count >= Self.types { found[shared] = types }
            }
        }
        let largest = found.filter { shared, _ in
            !found.keys.contains { $0.isStrictSuperset(of: shared) }
        }
        return Dictionary(
            largest.map { shared, types in
                (shared.map { $0.prefix { $0 != ":" } }.sorted().joined(separator: ", "), types)
            }, uniquingKeysWith: { $0.union($1) })
    }

    private static func storedProperties(in tree: SourceTree) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for file in tree.sources {
            for variable in file.declarations where variable.isStored {
                guard let parent = variable.parent,
                    ["struct", "class", "actor"].contains(file.declarations[parent].kind)
                else { continue }
                let type = file.tokens[variable.signature].map(\.text).joined()
                let property = "\(variable.name)\(type)"
                found["\(file.target).\(variable.scope)", default: []].insert(property)
            }
        }
        return found
    }
}
