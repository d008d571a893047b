/// Names of types and of files.
enum Names {
    static let banned: Set<String> = [
        "Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Impl", "Core",
        "Common", "Misc",
    ]

    /// Names that say nothing, in types and files of Sources and Tests.
    static func empty(in tree: SourceTree) -> [Finding] {
        tree.files.flatMap { file in
            let types = file.declarations.filter(\.isType).map { ($0.name, $0.line) }
            let parts = file.name.split(separator: "+").map { (String($0), 1) }
            return (types + parts).compactMap { name, line -> Finding? in
                guard let word = words(of: name).first(where: banned.contains) else { return nil }
                return Finding(
                    .emptyNames, name, in: file, line: line,
                    "\(name) holds the word \(word), which says nothing: name what it does")
            }
        }
    }

    /// Applications and the outside world that they call have models of their own: an example's
    /// `User` is not the one of the interface that it reads.
    private static let worlds = ["Sources/Examples/", "Sources/MockUpstream/"]

    /// Two types of one name in Sources, and types named like their own target. Entry points and the
    /// models of examples are excepted: no other target sees them.
    static func doubled(in tree: SourceTree) -> [Finding] {
        let index = TypeIndex(tree)
        return index.groups.flatMap { name, entries -> [Finding] in
            let shared = entries.filter { !$0.declaration.attributes.contains("@main") }
            let seen = shared.filter { entry in
                !worlds.contains { entry.file.path.hasPrefix($0) }
            }
            var findings: [Finding] = []
            if seen.count > 1 {
                let places = seen.map { "\($0.file.path):\($0.declaration.line)" }
                findings.append(
                    Finding(
                        .doubledNames, name, at: places.joined(separator: ", "),
                        "\(seen.count) types are called \(name): "
                            + "name what tells them apart, or share one"))
            }
            if let first = shared.first(where: { $0.target == name }) {
                findings.append(
                    Finding(
                        .doubledNames, "\(name).\(name)", in: first.file,
                        line: first.declaration.line,
                        "the type has the name of the module \(name), "
                            + "so that nothing else in the module can be named in full"))
            }
            return findings
        }
    }

    /// `JSONTextWriter` is `JSON`, `Text` and `Writer`; `+` and `.` part words, too.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var last: Character = " "
        for character in name {
            if !character.isLetter && !character.isNumber {
                words.append("")
            } else if words.isEmpty || character.isUppercase && !last.isUppercase {
                words.append(String(character))
            } else if !character.isUppercase, last.isUppercase, (words.last?.count ?? 0) > 1 {
                let first = words[words.count - 1].removeLast()
                words.append("\(first)\(character)")
            } else {
                words[words.count - 1].append(character)
            }
            last = character
        }
        return words.filter { !$0.isEmpty }
    }
}
