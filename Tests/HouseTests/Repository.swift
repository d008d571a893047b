import Foundation

/// The checkout that these tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func swiftFiles(under path: String) throws -> [URL] {
        try files(under: path).filter { $0.pathExtension == "swift" }
    }

    static func files(under path: String) throws -> [URL] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: path).path)
        return names.map { root.appending(path: path).appending(path: $0) }
    }

    /// The modules that a source file imports, submodules by their first name.
    static func imports(of file: URL) throws -> Set<String> {
        let modifiers: Set<Substring> = ["public", "internal", "package", "private", "@testable"]
        let kinds: Set<Substring> = ["struct", "enum", "class", "protocol", "func", "typealias"]
        var modules: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").drop {
                modifiers.contains($0) || $0.hasPrefix("@")
            }
            guard words.first == "import",
                let module = words.dropFirst().first(where: { !kinds.contains($0) })
            else { continue }
            if let name = module.split(separator: ".").first { modules.insert(String(name)) }
        }
        return modules
    }

    static func target(of file: URL) -> String {
        let parts = file.path.dropFirst(root.path.count + 1).split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : ""
    }
}
