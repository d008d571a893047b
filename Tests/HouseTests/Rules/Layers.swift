/// The levels of the house: a target may name what stands below it, or to its right.
enum Layers {
    static let levels: [[String]] = [
        ["StatecastCommand", "mock-upstream"],
        [
            "MockUpstream", "StatecastTesting", "ShoppingList", "ShoppingListModel", "Cards",
            "CardsModel", "Counter", "CounterModel", "Episodes", "EpisodesModel", "Rides",
            "RidesModel", "Benchmark", "BenchmarkModel", "OutsideAPI",
        ],
        ["Statecast"],
        ["Sessions"],
        ["HTTPServer", "HTTPClient", "Journaling"],
        ["Sockets", "Gzip", "Curl", "Threads"],
        ["HTTPMessages", "StateCoding", "Accounting"],
        ["Redux", "Reflection", "Bytes", "CLinux", "CZlib", "CCurl"],
    ]

    /// Modules that a target's level would allow, and its purpose does not: none may stand behind
    /// the target, however far.
    static let forbidden: [String: Set<String>] = [
        "MockUpstream": [
            "BenchmarkModel", "CardsModel", "CounterModel", "EpisodesModel", "OutsideAPI",
            "RidesModel", "ShoppingListModel", "Statecast",
        ],
        "StatecastTesting": [
            "BenchmarkModel", "CardsModel", "CounterModel", "EpisodesModel", "OutsideAPI",
            "RidesModel", "ShoppingListModel",
        ],
        "Redux": ["CCurl", "CLinux", "CZlib"],
        "Bytes": ["CCurl", "CLinux", "CZlib", "Redux"],
        "Accounting": ["CCurl", "CLinux", "CZlib", "Redux"],
        "Threads": ["HTTPMessages", "Redux", "StateCoding"],
        "StateCoding": ["CCurl", "CLinux", "CZlib"],
        "HTTPMessages": ["CCurl", "CLinux", "CZlib", "Redux", "StateCoding"],
        "Sockets": ["HTTPMessages", "Redux", "StateCoding"],
        "Gzip": ["HTTPMessages", "Redux", "StateCoding"],
        "Curl": ["HTTPMessages", "Redux", "StateCoding"],
        "HTTPServer": ["Curl", "HTTPClient", "Journaling", "Redux", "StateCoding"],
        "HTTPClient": ["HTTPMessages", "Journaling", "Redux", "Sockets", "StateCoding"],
        "Journaling": ["Curl", "Gzip", "HTTPMessages", "Sockets"],
        "Sessions": [
            "Curl", "Gzip", "HTTPClient", "HTTPMessages", "HTTPServer", "Sockets",
        ],
        "Statecast": ["Curl", "HTTPClient"],
    ]

    /// The modules of the system that only some targets import. `Synchronization` is for all.
    static let systemModules: [String: Set<String>] = [
        "Foundation": ["load-generator"],
        "Glibc": ["Sockets", "Threads", "StatecastCommand"],
        "FoundationEssentials": [
            "MockUpstream", "Rides", "StateCoding", "Statecast", "StatecastTesting",
        ],
        "Synchronization": [],
        "Testing": ["StatecastTesting"],
    ]

    /// Targets that are compiled for platforms whose Foundation is one module.
    static let portable: Set<String> = ["Redux", "Reflection", "StateCoding"]

    static func findings(
        in tree: SourceTree, levels: [[String]] = levels,
        forbidden: [String: Set<String>] = forbidden
    ) -> [Finding] {
        let targets = tree.manifest.targets.filter { $0.path.hasPrefix("Sources/") }
        let order = levels.joined().map { $0 }
        let missing = targets.filter { !order.contains($0.name) }.map {
            finding($0, $0.name, "\($0.name) stands on no level: add it to Layers.levels")
        }
        let stale = order.filter { tree.manifest.target(named: $0) == nil }.map {
            Finding(
                .layers, $0, at: "Layers.levels",
                "\($0) stands on a level and is no target: strike it")
        }
        let upward = targets.flatMap { target -> [Finding] in
            guard let place = order.firstIndex(of: target.name) else { return [] }
            return target.dependencies.filter { order[...place].contains($0) }.map {
                finding(
                    target, "\(target.name) → \($0)",
                    "\($0) stands above \(target.name): turn the arrow round, "
                        + "or move what both need further down")
            }
        }
        let closures = targets.flatMap { target -> [Finding] in
            let behind = tree.manifest.closure(of: target.name)
            return behind.intersection(forbidden[target.name] ?? []).sorted().map {
                finding(
                    target, "\(target.name) → \($0)",
                    "\(target.name) has nothing to do with \($0): find the way that leads there")
            }
        }
        return missing + stale + upward + closures + testImports(in: tree)
            + systemImports(in: tree)
    }

    private static func finding(
        _ target: Manifest.Target, _ subject: String, _ advice: String
    ) -> Finding {
        Finding(.layers, subject, at: "Package.swift:\(target.line)", advice)
    }

    /// What stands in Tests is for tests: a target of Sources names none of it.
    private static func testImports(in tree: SourceTree) -> [Finding] {
        let tests = Set(
            tree.manifest.targets.filter { $0.path.hasPrefix("Tests/") }.map(\.name))
        return tree.manifest.targets.filter { !tests.contains($0.name) }.flatMap { target in
            target.dependencies.filter(tests.contains).map {
                finding(
                    target, "\(target.name) → \($0)",
                    "\($0) is for tests: move what \(target.name) needs of it into Sources")
            }
        }
    }

    private static func systemImports(in tree: SourceTree) -> [Finding] {
        let known = Set(tree.manifest.targets.map(\.name)).union(tree.manifest.products)
        return tree.sources.flatMap { file in
            let target = file.target
            return file.imports.compactMap { found -> Finding? in
                guard !found.isFallback, !known.contains(found.module) else { return nil }
                if found.module == "FoundationEssentials", portable.contains(target),
                    !found.isGuarded
                {
                    return Finding(
                        .layers, "\(target): #if canImport", in: file, line: found.line,
                        "not every platform has FoundationEssentials: "
                            + "import it with #if canImport, or else Foundation")
                }
                if let allowed = systemModules[found.module],
                    allowed.isEmpty || allowed.contains(target)
                {
                    return nil
                }
                return Finding(
                    .layers, "\(target) → \(found.module)", in: file, line: found.line,
                    "\(target) does without \(found.module): use what the targets below offer")
            }
        }
    }
}
