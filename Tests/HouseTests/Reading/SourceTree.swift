import Foundation

/// The texts that the house's rules are about: the Swift files of Sources and Tests, the articles,
/// and the manifest.
struct SourceTree {
    let files: [SourceFile]
    /// Articles and the read-me, by path.
    let articles: [String: String]
    let manifest: Manifest

    /// A tree of texts by path.
    init(_ texts: [String: String]) {
        var manifest = Manifest(text: texts["Package.swift"] ?? "")
        for (path, text) in texts where path.hasSuffix("/Package.swift") {
            manifest.targets += Manifest(text: text, in: String(path.dropLast(13))).targets
        }
        let paths = texts.keys.filter { !$0.hasSuffix("Package.swift") && $0.hasSuffix(".swift") }
        files = paths.sorted().map { path in
            let folder = path.split(separator: "/").dropFirst().first ?? ""
            return SourceFile(
                path: path, target: manifest.target(of: path)?.name ?? String(folder),
                text: texts[path] ?? "")
        }
        articles = texts.filter { $0.key.hasSuffix(".md") }
        self.manifest = manifest
    }

    /// The checkout that these tests were built from.
    static let checkout = Result {
        let paths =
            try ["Package.swift", "README.md"]
            + files(under: "Sources", "Tests").filter {
                $0.hasSuffix(".swift") || $0.hasSuffix(".md")
            }
        return SourceTree(
            try Dictionary(uniqueKeysWithValues: paths.map { ($0, try text(of: $0)) }))
    }

    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The paths of all files of the checkout below these folders, without what builds have left.
    static func files(under folders: String...) throws -> [String] {
        try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .filter { !$0.contains("/.build/") }.map { "\(folder)/\($0)" }
        }
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    var sources: [SourceFile] { files.filter(\.isSource) }
    var declarations: [Declaration] { sources.flatMap(\.declarations) }
}

/// The table of targets that `Package.swift` shows to its reader, before any loop adds to it.
struct Manifest {
    struct Target {
        let name: String
        /// `Sources/Examples/Rides`
        let path: String
        /// The modules that it names: targets, and products of other packages.
        let dependencies: [String]
    }

    /// Those of the packages below Sources, too.
    fileprivate(set) var targets: [Target]
    /// Products of other packages: their modules are named like them.
    let products: Set<String>

    /// - Parameter folder: where the package is, with a slash behind it.
    init(text: String, in folder: String = "") {
        let lines = text.split(separator: "\n").filter { !$0.contains(/^\s*\/\//) }
        let text = lines.joined(separator: "\n")
        let constants = text.matches(of: /let (\w+)[^=]*=\s*\.product\(\s*name: "(\w+)"/)
            .map { (String($0.1), String($0.2)) }
        let products = Dictionary(uniqueKeysWithValues: constants)
        self.products = Set(products.values)
        let target =
            /\.(?:t|executableT|testT)arget\(\s*name: "([\w-]+)"(?:,\s*dependencies: \[([^\]]*)\])?([^)]*)/
        targets = text.matches(of: target).map { match in
            let names = (match.2 ?? "").matches(of: /[\w-]+/).map { String($0.0) }
            let path = match.3.firstMatch(of: /path: "([^"]+)"/)?.1
            let kind = match.0.hasPrefix(".testTarget") ? "Tests" : "Sources"
            return Target(
                name: String(match.1),
                path: folder + (path.map { String($0) } ?? "\(kind)/\(match.1)"),
                dependencies: names.map { products[$0] ?? $0 })
        }
    }

    /// The target that a file of `Sources` or `Tests` belongs to.
    func target(of path: String) -> Target? {
        targets.filter { path.hasPrefix("\($0.path)/") }.max { $0.path.count < $1.path.count }
    }

    /// The targets that `name` names, and those behind them.
    func closure(of name: String) -> Set<String> {
        var found: Set<String> = []
        var rest = [name]
        while let next = rest.popLast() {
            guard let target = targets.first(where: { $0.name == next }) else { continue }
            rest += target.dependencies.filter { found.insert($0).inserted }
        }
        return found.intersection(targets.map(\.name))
    }
}
