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
                        .doubledNames, name, number: seen.count, at: places.joined(separator: ", "),
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

    /// Functions in a file that is named for another type: a reader who looks for
    /// `EventLoop.send` opens `EventLoop.swift` or `EventLoop+Sending.swift`. What makes a type
    /// conform to something, makes a value of what the file is about, or extends a type that the
    /// file declares, belongs where it is.
    static func strangers(in tree: SourceTree) -> [Finding] {
        let index = TypeIndex(tree)
        return tree.sources.flatMap { file -> [Finding] in
            let own = Set(file.declarations.filter(\.isType).map(\.fullName))
            let title = file.name.split(separator: "+").first.map(String.init) ?? ""
            let strange = file.declarations.enumerated().filter { position, declaration in
                declaration.kind == .extension && declaration.inherited.isEmpty
                    && !own.contains(declaration.name) && !names(title, declaration.name)
                    && !declaration.modifiers.contains("fileprivate")
                    && !declaration.modifiers.contains("private")
                    && index.type(named: declaration.name, from: file.target) != nil
            }
            return strange.compactMap { position, declaration in
                let count = file.declarations.count {
                    $0.parent == position && $0.kind == .function
                        && !$0.modifiers.contains("static") && !$0.modifiers.contains("private")
                        && !$0.modifiers.contains("fileprivate")
                }
                guard count > 0 else { return nil }
                return Finding(
                    .strangers, "\(file.name): \(declaration.name)", number: count, in: file,
                    line: declaration.line,
                    "functions of \(declaration.name) stand in a file named for something else: "
                        + "move them to \(declaration.name)+….swift")
            }
        }
    }

    /// The file `title` is named for the type or for a part of its name: `Frames` for
    /// `Projection.Frames`.
    private static func names(_ title: String, _ type: String) -> Bool {
        type.split(separator: ".").contains { title.hasPrefix($0) } || type == title
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
