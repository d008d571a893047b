/// The house, drawn: what each target stands on. It may name that, and what stands below.
enum Layers {
    static let drawing: [String: Set<String>] = [
        "StatecastTesting": ["Statecast"],
        "SignedHooks": ["Sodium", "Statecast"],
        "ClientWire": ["HTTPMessages", "StateCoding"],
        // For any platform: nothing of Linux stands behind it.
        "StatecastClient": ["ClientWire"],
        "StatecastClientCurl": ["ClientWire", "HTTPClient"],
        "RemoteControl": ["Sockets", "StatecastClientCurl"],
        "MockUpstream": ["HTTPServer", "StateCoding"],
        "Statecast": ["CPages", "ClientWire", "HTTPServer", "Sessions"],
        "Sessions": ["Bytes", "Journaling"],
        "JournalSQLite": ["JournalRows", "SQLite", "Threads"],
        "JournalPostgreSQL": ["JournalRows", "PostgreSQL", "Threads"],
        "JournalRows": ["Journaling", "Sodium"],
        "HTTPServer": ["Gzip", "HTTPMessages", "Sockets"],
        "HTTPClient": ["Curl", "Gzip", "StateCoding", "Threads"],
        "Journaling": ["StateCoding"],
        "Sockets": ["Threads"],
        "Threads": ["Bytes", "CLinux"],
        "Gzip": ["CZlib"],
        "SQLite": ["CSQLite", "CZlib", "Threads"],
        "PostgreSQL": ["CPostgreSQL", "CZlib", "Threads"],
        "Sodium": ["CSodium"],
        "Curl": ["Bytes", "CCurl"],
        "HTTPMessages": ["Bytes"],
        "StateCoding": ["Bytes", "Redux", "Reflection"],
        "Redux": [], "Reflection": [], "Bytes": [], "CLinux": [], "CZlib": [], "CCurl": [],
        "CPages": [], "CPostgreSQL": [], "CSQLite": [], "CSodium": [],
    ]

    /// The modules of the system that only some targets import. `Synchronization` is for all.
    static let systemModules: [String: Set<String>] = [
        "Glibc": [
            "Journaling", "PostgreSQL", "RemoteControl", "SQLite", "Sockets", "Threads",
            "StatecastCommand",
        ],
        "FoundationEssentials": [
            "MockUpstream", "RemoteControl", "Rides", "ShoppingList", "StateCoding", "Statecast",
            "StatecastClient", "StatecastTesting",
        ],
        "Foundation": ["ShoppingListClient", "StatecastClient"],
        "FoundationNetworking": ["StatecastClient"],
        "Observation": ["ShoppingListClient", "StatecastClient"],
        "Testing": ["StatecastTesting"],
    ]

    /// Targets that are compiled for platforms whose Foundation is one module.
    static let portable: Set<String> = [
        "Bytes", "ClientWire", "HTTPMessages", "Redux", "Reflection", "StateCoding",
        "StatecastClient",
    ]

    /// Declared and unused, used and undeclared, and files that no target has.
    static func dependencies(in tree: SourceTree) -> [String] {
        let known = tree.manifest.products.union(tree.manifest.targets.map(\.name))
        let strays = tree.sources.filter { tree.manifest.target(of: $0.path) == nil }.map {
            "\($0.path): no target has this file: give its target a line in Package.swift"
        }
        return strays
            + tree.manifest.targets.flatMap { target -> [String] in
                let files = tree.files.filter { $0.target == target.name }
                let imports = Set(files.flatMap(\.imports).map(\.module)).intersection(known)
                let named = Set(target.dependencies)
                guard !files.isEmpty else { return [] }
                return named.subtracting(imports).sorted().map {
                    "Package.swift: \(target.name) names \($0) and imports it nowhere: strike it"
                }
                    + imports.subtracting(named).subtracting([target.name]).sorted().map {
                        "Package.swift: \(target.name) imports \($0) and does not name it"
                    }
            }
    }

    /// No target names one beside or above it, nor what is for tests alone.
    static func upward(in tree: SourceTree) -> [String] {
        let targets = tree.manifest.targets
        let tests = Set(targets.filter { $0.path.hasPrefix("Tests/") }.map(\.name))
        return targets.filter { !tests.contains($0.name) }.flatMap { target in
            let behind = tree.manifest.closure(of: target.name)
            let wrong = behind.intersection(tests)
                .union(drawing[target.name] == nil ? [] : behind.subtracting(below(target.name)))
            return wrong.sorted().map {
                "Package.swift: \(target.name) has nothing to do with \($0): find the way that "
                    + "leads there, or draw it in Layers.drawing"
            }
        }
    }

    private static func below(_ target: String) -> Set<String> {
        let named = drawing[target] ?? []
        return named.union(named.flatMap(below))
    }

    static func systemImports(in tree: SourceTree) -> [String] {
        let known = tree.manifest.products.union(tree.manifest.targets.map(\.name))
            .union(["Synchronization"])
        return tree.sources.flatMap { file in
            file.imports.filter { $0.condition != "#else" && !known.contains($0.module) }
                .compactMap { found in
                    let place = "\(file.path):\(found.line): \(file.target)"
                    let isPortable = portable.contains(file.target)
                    guard systemModules[found.module]?.contains(file.target) == true else {
                        return "\(place) does without \(found.module): use what stands below"
                    }
                    return !isPortable || found.condition != nil || found.module == "Observation"
                        ? nil : "\(place) is for platforms without it: ask #if canImport"
                }
        }
    }

    /// An example that is an application has a model, which a client can have, too: states, actions
    /// and reducing, made of the store and the coding alone. All of them can be copied into a package
    /// of one's own.
    static func models(in tree: SourceTree) -> [String] {
        let allowed: Set<String> = ["Redux", "StateCoding"]
        let packages = tree.sources.filter { file in
            file.path.hasPrefix("Sources/Examples/")
                && file.tokens.contains { $0.text == "package" }
        }.map { "\($0.path) says package, which says nothing to a package of one's own" }
        let examples = tree.manifest.targets.filter { $0.path.hasPrefix("Sources/Examples/") }
        return packages
            + examples.flatMap { target -> [String] in
                guard target.name.hasSuffix("Model") else {
                    let (names, model) = (target.dependencies, "\(target.name)Model")
                    return !names.contains("Statecast") || names.contains(model)
                        ? [] : ["Package.swift: move the model of \(target.name) into \(model)"]
                }
                let files = tree.files.filter { $0.target == target.name }
                let imported = files.flatMap(\.imports).map(\.module)
                return Set(target.dependencies + imported).subtracting(allowed).sorted().map {
                    "Package.swift: \(target.name) is a model and needs no \($0)"
                }
            }
    }
}
