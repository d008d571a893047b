/// Lines of files, types and functions.
enum Sizes {
    static let fileLimit = 450
    static let typeLimit = 450
    static let functionLimit = 70

    static func files(in tree: SourceTree) -> [Finding] {
        tree.files.filter { $0.lineCount > fileLimit }.map { file in
            Finding(
                .fileLines, file.path, in: file, line: 1,
                "\(file.lineCount) lines, where \(fileLimit) are allowed: look for the second noun")
        }
    }

    /// What is worth a second look, and breaks no rule.
    static func questions(in tree: SourceTree) -> [String] {
        types(in: tree) + functions(in: tree)
    }

    /// Types with all their extensions; a nested type counts for itself alone.
    private static func types(in tree: SourceTree) -> [String] {
        let index = TypeIndex(tree)
        var lines: [String: Int] = [:]
        for file in tree.sources {
            for declaration in file.declarations where declaration.holdsMembers {
                let count = declaration.lines.count
                let names = [declaration.fullName, declaration.scope]
                for (name, sign) in zip(names, [1, -1]) {
                    guard let type = index.type(named: name, from: file.target) else { continue }
                    lines[type.subject, default: 0] += sign * count
                }
            }
        }
        return lines.filter { $0.value > typeLimit }.sorted { $0.key < $1.key }.map {
            "\($0.key) has \($0.value) lines: which of its values decides by itself?"
        }
    }

    private static func functions(in tree: SourceTree) -> [String] {
        tree.files.flatMap { file in
            file.declarations.filter(\.isFunction).flatMap { function in
                let count = function.lines.upperBound - function.line + 1
                let closures = file.tokens[function.signature].count { $0.isMark("->") }
                let answer = function.kind == .function && file.answers(function) ? 1 : 0
                let place = "\(file.path):\(function.line): \(function.name)"
                return [
                    count > functionLimit ? "\(place) has \(count) lines" : nil,
                    file.isSource && closures - answer > 1
                        ? "\(place) is handed \(closures - answer) closures" : nil,
                ].compactMap { $0 }
            }
        }
    }
}
