/// Lines of types, functions and files.
enum Sizes {
    static let typeLimit = 450
    /// Types that are known to hold several nouns have a limit of their own, by full name.
    static let closerTypeLimits = ["Connection": 299, "Session": 299, "Store": 299]
    static let fileLimit = 500
    static let functionLimit = 40
    static let ceiling = 70

    static func typeLimit(of type: Declaration) -> Int {
        closerTypeLimits[type.fullName] ?? typeLimit
    }

    /// Lines of the types by their subjects, over all files and extensions, documentation included.
    /// A nested type counts for itself and not for the one around it: it is a noun of its own.
    static func lines(ofTypesIn tree: SourceTree, _ index: TypeIndex) -> [String: Int] {
        var lines: [String: Int] = [:]
        for file in tree.sources {
            for (position, declaration) in file.declarations.enumerated()
            where declaration.holdsMembers {
                guard let type = index.type(named: declaration.fullName, from: file.target) else {
                    continue
                }
                lines[type.subject, default: 0] += ownLines(at: position, in: file)
            }
        }
        return lines
    }

    static func types(in tree: SourceTree) -> [Finding] {
        let index = TypeIndex(tree)
        var lines = lines(ofTypesIn: tree, index)
        return index.types.compactMap { type in
            let limit = typeLimit(of: type.declaration)
            guard let count = lines.removeValue(forKey: type.subject), count > limit else {
                return nil
            }
            return Finding(
                .typeLines, type.subject, number: count, in: type.file, line: type.declaration.line,
                "\(count) lines in all its extensions, where \(limit) are allowed: "
                    + "take out the part that decides, as a value with private fields")
        }
    }

    private static func ownLines(at position: Int, in file: SourceFile) -> Int {
        let declaration = file.declarations[position]
        let nested = file.declarations.indices.filter { other in
            file.declarations[other].holdsMembers && typeAround(other, in: file) == position
        }
        let all = declaration.lines.upperBound - file.firstLine(of: declaration) + 1
        return nested.reduce(all) { rest, other in
            let inner = file.declarations[other]
            return rest - (inner.lines.upperBound - file.firstLine(of: inner) + 1)
        }
    }

    private static func typeAround(_ position: Int, in file: SourceFile) -> Int? {
        var parent = file.declarations[position].parent
        while let next = parent, !file.declarations[next].holdsMembers {
            parent = file.declarations[next].parent
        }
        return parent
    }

    /// Lines of the files of a type that is cut into slices, `Store.swift` and `Store+….swift`: each
    /// slice may write every field, so that all must be open at once.
    static func slices(in tree: SourceTree) -> [Finding] {
        let groups = Dictionary(grouping: tree.sources) { file in
            let folder = file.path.prefix(
                upTo: file.path.lastIndex(of: "/") ?? file.path.startIndex)
            return "\(folder)/\(file.name.prefix { $0 != "+" })"
        }
        return groups.sorted { $0.key < $1.key }.compactMap { name, files in
            let count = files.reduce(0) { $0 + $1.lineCount }
            guard files.count > 1, count > typeLimit else { return nil }
            return Finding(
                .slices, name, number: count, at: "\(name).swift:1",
                "\(count) lines in \(files.count) files, where \(typeLimit) are allowed: "
                    + "take out the part that decides, as a value with private fields")
        }
    }

    /// Lines of functions and of computed properties, from the keyword to the last brace.
    static func functions(in tree: SourceTree) -> [Finding] {
        tree.files.flatMap { file in
            let limit = file.isSource ? functionLimit : ceiling
            return file.declarations.compactMap { declaration -> Finding? in
                let count = declaration.lines.upperBound - declaration.line + 1
                guard declaration.isFunction || declaration.kind == .variable,
                    declaration.body != nil, count > limit
                else { return nil }
                return Finding(
                    .functionLines, "\(file.target).\(declaration.fullName)",
                    number: count, in: file, line: declaration.line,
                    "\(count) lines, where \(limit) are allowed: "
                        + "push decisions up and loops down, into functions of their own")
            }
        }
    }

    static func files(in tree: SourceTree) -> [Finding] {
        tree.files.filter { $0.lineCount > fileLimit }.map { file in
            Finding(
                .fileLines, file.path, number: file.lineCount, in: file, line: 1,
                "\(file.lineCount) lines, where \(fileLimit) are allowed: look for the second noun")
        }
    }
}
