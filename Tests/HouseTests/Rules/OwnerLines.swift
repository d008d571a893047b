/// Lines of classes, together with those of their parts.
///
/// A class is not parted by a type that reaches all of it: such a part can change what the class
/// can, so that both must be open at once. A type of the same target is a part of a class that
///
/// - has it as a stored property, while the class has the type as one and is the larger of the two:
///   each holds the other, and elements of a collection do not count; or
/// - has at least two functions, most of which get the class as a parameter.
enum OwnerLines {
    /// A type with what the rule compares.
    private struct Subject {
        let entry: TypeIndex.Entry
        var lines = 0
        /// The names of the types of its stored properties.
        var held: Set<String> = []
        /// For each of its functions, the names in its parameters.
        var parameters: [Set<String>] = []

        var name: String { entry.declaration.name }

        var isOwner: Bool { [.class, .actor].contains(entry.declaration.kind) }

        func isPart(of owner: Subject) -> Bool {
            guard entry.target == owner.entry.target, entry.subject != owner.entry.subject,
                !entry.declaration.fullName.hasPrefix(owner.entry.declaration.fullName + ".")
            else { return false }
            let isHanded = parameters.count { $0.contains(owner.name) } * 2 > parameters.count
            let holdEachOther = held.contains(owner.name) && owner.held.contains(name)
            return holdEachOther && lines <= owner.lines || parameters.count > 1 && isHanded
        }
    }

    static func findings(in tree: SourceTree) -> [Finding] {
        let subjects = subjects(in: tree)
        return subjects.filter(\.isOwner).compactMap { owner in
            let parts = subjects.filter { $0.isPart(of: owner) }
            let limit = Sizes.typeLimit(of: owner.entry.declaration)
            let count = parts.reduce(owner.lines) { $0 + $1.lines }
            guard !parts.isEmpty, count > limit else { return nil }
            let names = parts.map { "\($0.name) \($0.lines)" }.joined(separator: ", ")
            return Finding(
                .ownerLines, owner.entry.subject, number: count, in: owner.entry.file,
                line: owner.entry.declaration.line,
                "\(count) lines with its parts (\(names)), where \(limit) are allowed: "
                    + "give each part what it needs in place of the whole \(owner.name)")
        }
    }

    private static func subjects(in tree: SourceTree) -> [Subject] {
        let index = TypeIndex(tree)
        let lines = Sizes.lines(ofTypesIn: tree, index)
        var subjects = index.types.map { Subject(entry: $0, lines: lines[$0.subject] ?? 0) }
        let places = Dictionary(
            subjects.indices.map { (subjects[$0].entry.subject, $0) }, uniquingKeysWith: { $1 })
        for file in tree.sources {
            for declaration in file.declarations {
                guard let parent = declaration.parent, file.declarations[parent].holdsMembers,
                    let type = index.type(
                        named: file.declarations[parent].fullName, from: file.target),
                    let place = places[type.subject]
                else { continue }
                if isStored(declaration) {
                    subjects[place].held.formUnion(names(ofTypeOf: declaration, in: file))
                } else if declaration.kind == .function {
                    subjects[place].parameters.append(names(ofParametersOf: declaration, in: file))
                }
            }
        }
        return subjects
    }

    private static let collections: Set<String> = ["Array", "Deque", "Dictionary", "Set"]

    private static func isStored(_ declaration: Declaration) -> Bool {
        declaration.kind == .variable && declaration.body == nil
            && !declaration.modifiers.contains("static")
    }

    /// `var a: B?` has the type `B`, and so has `var a = B()`; a collection has none.
    private static func names(
        ofTypeOf variable: Declaration, in file: SourceFile
    ) -> Set<String> {
        let tokens = file.tokens[variable.signature]
        let annotation = tokens.filter(\.isName).map(\.text)
        guard !tokens.contains(where: { $0.isMark("[") || collections.contains($0.text) }) else {
            return []
        }
        let value = variable.signature.upperBound
        guard annotation.isEmpty, value + 2 < file.tokens.count, file.tokens[value].isMark("="),
            file.tokens[value + 2].isMark("(") || file.tokens[value + 2].isMark("<")
        else { return Set(annotation) }
        return [file.tokens[value + 1].text]
    }

    private static func names(
        ofParametersOf function: Declaration, in file: SourceFile
    ) -> Set<String> {
        let tokens = file.tokens[function.signature]
        guard let start = tokens.firstIndex(where: { $0.isMark("(") }) else { return [] }
        var depth = 0
        let parameters = tokens[start...].prefix { token in
            depth += token.isMark("(") ? 1 : token.isMark(")") ? -1 : 0
            return depth > 0
        }
        return Set(parameters.filter(\.isName).map(\.text))
    }
}
