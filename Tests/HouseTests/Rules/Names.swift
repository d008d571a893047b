/// Names of types and of files.
enum Names {
    private static let empty = [
        "Manager", "Helper", "Util", "Impl", "Core", "Common", "Misc",
    ]

    /// Names that say nothing, in types and files of Sources and Tests.
    static func empty(in tree: SourceTree) -> [String] {
        tree.files.flatMap { file in
            let types = file.declarations.filter(\.isType).map(\.name)
            let name = String(file.path.split(separator: "/").last ?? "").replacing(
                ".swift", with: "")
            return (types + [name]).flatMap { name in
                empty.filter { holds(name, $0) }.map {
                    "\(file.path): \(name) holds the word \($0): name what it does"
                }
            }
        }
    }

    /// `FeedHelpers` holds `Helper`; `Corecursion` does not hold `Core`.
    private static func holds(_ name: String, _ word: String) -> Bool {
        name.ranges(of: word).contains { range in
            let rest = name[range.upperBound...]
            return rest.first?.isLowercase != true || ["s", "ity", "ities"].contains(rest)
        }
    }

    /// Applications and the outside world that they call have models of their own: an example's
    /// `User` is not the one of the interface that it reads.
    private static let worlds = ["Sources/Examples/", "Sources/MockUpstream/"]

    /// Types that are called like a module, with the reason.
    static let known = [
        "Sessions": "an author writes `Sessions(…)`; the module of that name is none of theirs"
    ]

    /// Two types of one name, or a type named like any module: then no file that imports both can
    /// name anything else of the module in full. Entry points are excepted: nobody names them.
    static func doubled(in tree: SourceTree) -> [String] {
        let modules = Set(tree.manifest.targets.map(\.name)).subtracting(known.keys)
        var places: [String: [String]] = [:]
        var findings: [String] = []
        for file in tree.sources {
            for type in file.declarations
            where type.isType && !type.modifiers.contains("@main") {
                let place = "\(file.path):\(type.line)"
                if modules.contains(type.fullName) {
                    findings.append("\(place): \(type.fullName) is the name of a module, too")
                }
                if !worlds.contains(where: file.path.hasPrefix) {
                    places[type.fullName, default: []].append(place)
                }
            }
        }
        return findings
            + places.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
                "\($0.value.joined(separator: ", ")): several types are called \($0.key): "
                    + "name what tells them apart, or share one"
            }
    }
}
