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
        let manifest = Manifest(text: texts["Package.swift"] ?? "")
        let paths = texts.keys.filter { $0.hasSuffix(".swift") && $0 != "Package.swift" }
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
    static let checkout = Result { try SourceTree(reading: Repository.root) }

    init(reading root: URL) throws {
        var texts: [String: String] = [:]
        for folder in ["Sources", "Tests"] {
            for path in try FileManager.default.subpathsOfDirectory(
                atPath: root.appending(path: folder).path)
            where path.hasSuffix(".swift") || path.hasSuffix(".md") {
                let path = "\(folder)/\(path)"
                texts[path] = try Self.text(of: path, in: root)
            }
        }
        for path in ["Package.swift", "README.md"] {
            texts[path] = try Self.text(of: path, in: root)
        }
        self.init(texts)
    }

    private static func text(of path: String, in root: URL) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    var sources: [SourceFile] { files.filter(\.isSource) }
}
