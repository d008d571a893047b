/// The dependencies that targets name in the manifest, held against the imports of their files.
enum Dependencies {
    /// Declared and unused, and used and undeclared, for every target that has Swift files.
    static func imports(in tree: SourceTree) -> [Finding] {
        let manifest = tree.manifest
        let known = Set(manifest.targets.map(\.name)).union(manifest.products)
        return manifest.targets.flatMap { target -> [Finding] in
            let files = tree.files.filter { $0.target == target.name }
            guard !files.isEmpty else { return [] }
            let used = Set(files.flatMap(\.imports).map(\.module))
            let unused = target.dependencies.filter { !used.contains($0) }.map { module in
                Finding(
                    .dependencies, "\(target.name) → \(module)",
                    at: "Package.swift:\(target.line)",
                    "\(target.name) names \(module) and imports it nowhere: strike it")
            }
            let undeclared = files.flatMap { file in
                file.imports.filter {
                    known.contains($0.module) && !target.dependencies.contains($0.module)
                        && $0.module != target.name
                }.map { found in
                    Finding(
                        .dependencies, "\(target.name) → \(found.module)", in: file,
                        line: found.line,
                        "\(target.name) imports \(found.module) and does not name it "
                            + "in Package.swift:\(target.line): add it there")
                }
            }
            return unused + undeclared
        }
    }

    /// Every Swift file of Sources belongs to a target of the manifest's table.
    static func strays(in tree: SourceTree) -> [Finding] {
        tree.sources.filter { tree.manifest.target(of: $0.path) == nil }.map { file in
            Finding(
                .dependencies, file.path, in: file, line: 1,
                "no target of Package.swift has this file: give its target a line in the table")
        }
    }
}
