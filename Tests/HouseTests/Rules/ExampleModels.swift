/// The models of the examples: states, actions and reducing, which a client can have, too.
enum ExampleModels {
    static let folder = "Sources/Examples/"
    /// All that a model is made of: no server, no platform, no Foundation.
    static let allowed: Set<String> = ["Redux", "StateCoding"]

    /// Every example that is an application has a model, and every model names and imports the store
    /// and the coding alone.
    static func findings(in tree: SourceTree) -> [Finding] {
        let examples = tree.manifest.targets.filter { $0.path.hasPrefix(folder) }
        let models = examples.filter { $0.name.hasSuffix("Model") }
        let missing = examples.filter { $0.dependencies.contains("Statecast") }
            .filter { !$0.dependencies.contains("\($0.name)Model") }
            .map { finding($0, "\($0.name)Model", "move its state, actions and reducing there") }
        let named = models.flatMap { model in
            model.dependencies.filter { !allowed.contains($0) }.map { finding(model, $0, advice) }
        }
        let imported = models.flatMap { model in
            tree.files.filter { $0.target == model.name }.flatMap { file in
                file.imports.filter { !allowed.contains($0.module) }.map { found in
                    Finding(
                        .layers, "\(model.name) → \(found.module)", in: file, line: found.line,
                        advice)
                }
            }
        }
        return missing + named + imported
    }

    private static let advice =
        "a model needs Redux and StateCoding alone: move the rest into the application's target"

    private static func finding(
        _ target: Manifest.Target, _ module: String, _ advice: String
    ) -> Finding {
        Finding(
            .layers, "\(target.name) → \(module)", at: "Package.swift:\(target.line)", advice)
    }
}
