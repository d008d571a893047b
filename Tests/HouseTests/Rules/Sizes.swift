/// Lines of files, types and functions.
enum Sizes {
    private static let fileLimit = 450
    private static let typeLimit = 450
    private static let functionLimit = 70

    static func files(in tree: SourceTree) -> [String] {
        tree.files.filter { $0.lineCount > fileLimit }.map {
            "\($0.path): \($0.lineCount) lines, where \(fileLimit) are allowed"
        }
    }

    /// What is worth a second look, and breaks no rule.
    static func questions(in tree: SourceTree) -> [String] {
        types(in: tree) + tree.files.flatMap(functions)
    }

    /// Types with their extensions in the same target; a nested type counts for itself alone.
    private static func types(in tree: SourceTree) -> [String] {
        var lines: [String: Int] = [:]
        for file in tree.sources {
            for type in file.declarations where type.holdsMembers {
                let count = type.lastLine - type.line + 1
                lines["\(file.target).\(type.fullName)", default: 0] += count
                lines["\(file.target).\(type.scope)", default: 0] -= count
            }
        }
        return lines.filter { $0.value > typeLimit }.sorted { $0.key < $1.key }.map {
            "\($0.key) has \($0.value) lines: which of its values decides by itself?"
        }
    }

    private static func functions(in file: SourceFile) -> [String] {
        file.declarations.filter(\.isFunction).flatMap { function in
            let place = "\(file.path):\(function.line): \(function.name)"
            let lines = function.lastLine - function.line + 1
            let closures = closures(handedTo: function, in: file)
            return [
                lines > functionLimit ? "\(place) has \(lines) lines" : nil,
                file.isSource && closures > 1 ? "\(place) is handed \(closures) closures" : nil,
            ].compactMap { $0 }
        }
    }

    /// The arrows in the parameters' parentheses.
    private static func closures(handedTo function: Declaration, in file: SourceFile) -> Int {
        var depth = 0
        return file.tokens[function.signature].count { token in
            depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0
            return depth > 0 && token.text == "->"
        }
    }
}
