/// A small tree in which a rule is broken, and the same tree mended.
struct RuleSample {
    let rule: Rule
    /// The culprit that the rule has to find.
    let subject: String
    var number = 1
    let broken: [String: String]
    let mended: [String: String]

    static let manifest = """
        let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
        let package = Package(targets: [
            .target(name: "Statecast", dependencies: ["Redux", logging]),
            .target(name: "StateCoding"),
            .target(name: "Redux"),
            .target(name: "Sockets"),
            .testTarget(name: "ReduxTests", dependencies: ["Redux"]),
            .testTarget(name: "StatecastTests", dependencies: ["Statecast"]),
        ])
        """

    private static let application =
        #".target(name: "Feed", dependencies: ["FeedModel", "Statecast"], path: "\#(example)")"#
    private static let model =
        #".target(name: "FeedModel", dependencies: ["Redux"], path: "\#(example)Model")"#
    private static let example = "Sources/Examples/Feed"

    /// One file of each tree differs.
    init(
        _ rule: Rule, _ subject: String, _ number: Int = 1, in path: String, broken: String,
        mended: String, with others: [String: String] = [:]
    ) {
        self.rule = rule
        self.subject = subject
        self.number = number
        let others = others.merging(["Package.swift": Self.manifest]) { given, _ in given }
        self.broken = others.merging([path: broken]) { $1 }
        self.mended = others.merging([path: mended]) { $1 }
    }

    static let all =
        sizes + names + calls + dependencies + dead + problems + growth

    private static func lines(_ count: Int) -> String {
        (0..<count).map { "    // \($0)\n" }.joined()
    }

    private static let sizes = [
        RuleSample(
            .fileLines, "Sources/Redux/Feed.swift", in: "Sources/Redux/Feed.swift",
            broken: lines(451), mended: lines(450))
    ]

    private static let names = [
        RuleSample(
            .emptyNames, "FeedManager", in: "Sources/Redux/Feed.swift",
            broken: "struct FeedManager {}", mended: "struct Feed { func manager() {} }"),
        RuleSample(
            .emptyNames, "ReadingUtils", in: "Sources/Redux/Feed+ReadingUtils.swift",
            broken: "", mended: "", with: [:]
        ).moved(to: "Sources/Redux/Score.swift"),
        RuleSample(
            .doubledNames, "Feed.Item", in: "Sources/Statecast/Feed.swift",
            broken: "enum Feed { private struct Item {} }", mended: "enum Feed { struct Part {} }",
            with: ["Sources/Redux/Items.swift": "struct Item {}\nextension Feed { enum Item {} }"]),
        RuleSample(
            .doubledNames, "Redux.Redux", in: "Sources/Redux/Redux.swift",
            broken: "public enum Redux {}", mended: "public enum Machine {}"),
    ]

    private static let calls = [
        RuleSample(
            .bannedCalls, "Sources/Redux/Feed.swift: try!", in: "Sources/Redux/Feed.swift",
            broken: "let a = try! b()", mended: "// try!\nlet a = try !b(\"try!\")"),
        RuleSample(
            .bannedCalls, "Tests/ReduxTests/FeedTests.swift: DispatchQueue", 2,
            in: "Tests/ReduxTests/FeedTests.swift",
            broken: "DispatchQueue.global()\nDispatchQueue.main",
            mended: "let text = \"DispatchQueue\""),
        RuleSample(
            .bannedCalls, "Tests/ReduxTests/FeedTests.swift: sleep(",
            in: "Tests/ReduxTests/FeedTests.swift", broken: "sleep(1)",
            mended: "clock.sleep(1)\nfunc sleep(for time: Int) {}\nsleep(for: 1)"),
        RuleSample(
            .bannedCalls, "Sources/Redux/Feed.swift: Task.sleep", in: "Sources/Redux/Feed.swift",
            broken: "try await Task.sleep(for: .seconds(1))", mended: "let task = Task { sleep }"),
        RuleSample(
            .bannedCalls, "Sources/Redux/Feed.swift: pthread_mutex_lock",
            in: "Sources/Redux/Feed.swift", broken: "pthread_mutex_lock(a)", mended: "",
            with: ["Sources/Sockets/Lock.swift": "pthread_mutex_lock(a)"]),
        RuleSample(
            .bannedCalls, "Sources/Redux/Feed.swift: TODO", in: "Sources/Redux/Feed.swift",
            broken: "// TODO: more", mended: "let text = \"TODO\""),
        RuleSample(
            .unsafeCode, "Sources/Redux/Feed.swift: unsafe", in: "Sources/Redux/Feed.swift",
            broken: "let a = unsafe b.pointee", mended: "let a = \"unsafe\" // unsafe",
            with: ["Sources/Sockets/Lock.swift": "unsafe a()"]),
        RuleSample(
            .unsafeCode, "Sources/Redux/Feed.swift: @unchecked", in: "Sources/Redux/Feed.swift",
            broken: "extension A: @unchecked Sendable {}", mended: "extension A: Sendable {}"),
    ]

    private static let dependencies = [
        RuleSample(
            .dependencies, "Statecast → Logging", in: "Sources/Statecast/Server.swift",
            broken: "import Redux\n// import Logging",
            mended: "import Redux\npublic import struct Logging.Logger"),
        RuleSample(
            .dependencies, "Statecast → Sockets", in: "Sources/Statecast/Server.swift",
            broken: "import Sockets", mended: "import Redux"),
        RuleSample(
            .dependencies, "ReduxTests → Redux", in: "Tests/ReduxTests/StoreTests.swift",
            broken: "import Testing", mended: "@testable import Redux"),
        RuleSample(
            .dependencies, "Sources/Other/File.swift", in: "Sources/Other/File.swift", broken: "",
            mended: ""
        ).moved(to: "Sources/Redux/File.swift"),
        RuleSample(
            .layers, "Redux → Statecast", in: "Package.swift",
            broken: manifest.replacing(
                "\"Redux\"),", with: "\"Redux\", dependencies: [\"Statecast\"]),"),
            mended: manifest),
        RuleSample(
            .layers, "Statecast → HTTPClient", in: "Package.swift",
            broken: manifest.replacing("logging]", with: "\"HTTPServer\"]")
                + ".target(name: \"HTTPServer\", dependencies: [\"HTTPClient\"])",
            mended: manifest),
        RuleSample(
            .layers, "Redux → Feeds", in: "Package.swift",
            broken: manifest.replacing(
                "\"Redux\"),", with: "\"Redux\", dependencies: [\"Feeds\"]),")
                + ".target(name: \"Feeds\", path: \"Tests/Support/Feeds\")",
            mended: manifest + ".target(name: \"Feeds\", path: \"Tests/Support/Feeds\")"),
        RuleSample(
            .layers, "Redux → Foundation", in: "Sources/Redux/Feed.swift",
            broken: "import Foundation", mended: "import Synchronization"),
        RuleSample(
            .layers, "StateCoding: #if canImport", in: "Sources/StateCoding/Dates.swift",
            broken: "import FoundationEssentials",
            mended: "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#endif"),
        RuleSample(
            .layers, "StateCoding → Foundation", in: "Sources/StateCoding/Dates.swift",
            broken: "import Foundation",
            mended: """
                #if canImport(FoundationEssentials)
                import FoundationEssentials
                #else
                import Foundation
                #endif
                """),
        RuleSample(
            .layers, "Feed → FeedModel", in: "Package.swift",
            broken: manifest + application.replacing("\"FeedModel\", ", with: ""),
            mended: manifest + application),
        RuleSample(
            .layers, "FeedModel → Statecast", in: "Package.swift",
            broken: manifest + model.replacing("\"Redux\"", with: "\"Redux\", \"Statecast\""),
            mended: manifest + model),
        RuleSample(
            .layers, "FeedModel → Synchronization",
            in: "Sources/Examples/FeedModel/FeedState.swift", broken: "import Synchronization",
            mended: "package import Redux\nimport StateCoding",
            with: ["Package.swift": manifest + model]),
        RuleSample(
            .layers, "Newcomer", in: "Package.swift",
            broken: manifest + ".target(name: \"Newcomer\")", mended: manifest),
    ]

    private static let dead = [
        RuleSample(
            .deadDeclarations, "Redux.Feed.idle", in: "Sources/Redux/Feed.swift",
            broken: "struct Feed { private func idle() {} }\nlet feed = Feed()",
            mended:
                "struct Feed { private func idle() {}; func run() { idle() } }\nlet feed = Feed()",
            with: ["Sources/Redux/Other.swift": "let use = feed.idle"]),
        RuleSample(
            .deadDeclarations, "Redux.Feed.idle", in: "README.md", broken: "Nothing.",
            mended: "Call `idle()`.",
            with: ["Sources/Redux/Feed.swift": "public struct Feed { public func idle() {} }"]),
        RuleSample(
            .deadDeclarations, "Redux.idle", in: "Tests/ReduxTests/FeedTests.swift",
            broken: "let text = \"idle\"", mended: "idle()",
            with: ["Sources/Redux/Feed.swift": "public func idle() {}"]),
        RuleSample(
            .deadDeclarations, "Redux.idle", in: "Sources/Redux/Feed.swift",
            broken: "func idle() {}", mended: "public func idle() {}",
            with: ["Tests/ReduxTests/FeedTests.swift": "idle()"]),
        RuleSample(
            .deadDeclarations, "Redux.Feed.idle", in: "Sources/Redux/Feed.swift",
            broken: "struct Feed: Codable { var idle: Int { 1 } }",
            mended: "struct Feed: Codable { var idle = 1 }"),
        RuleSample(
            .deadDeclarations, "Redux.Feed.idle", in: "Sources/Redux/Feed.swift",
            broken: "struct Feed { func idle() {} }",
            mended: "struct Feed: Idle { func idle() {} }\nprotocol Idle { func idle() }"),
    ]

    private static let problems = [
        RuleSample(
            .problemCodes, "gone-away", in: "Sources/Statecast/Other.swift",
            broken: "let b = ProblemDetails(.gone, code: \"gone-away\")", mended: "",
            with: [
                "Sources/Statecast/Problems.swift":
                    "extension ProblemDetails { init() { self.init(.gone, code: \"gone-away\") } }",
                ProblemCodes.article: "| `gone-away` | 410 | It went. | No |",
            ]),
        RuleSample(
            .problemCodes, "gone-away", in: ProblemCodes.article, broken: "| `other` | 410 |",
            mended: "| `gone-away` | 410 or 409 | It went. | No |",
            with: [
                "Sources/Statecast/Problems.swift": """
                let a = ProblemDetails(.init(code: 410, reasonPhrase: "Gone"), code: "gone-away")
                """
            ]),
        RuleSample(
            .problemCodes, "gone-away", in: ProblemCodes.article, broken: "| `gone-away` | 404 | |",
            mended: "| `gone-away` | 409 | |",
            with: [
                "Sources/Redux/Store.swift":
                    "let a = Rejection(ofLibrary: \"gone-away\", \"No.\")"
            ]),
        RuleSample(
            .problemCodes, "never-made", in: ProblemCodes.article,
            broken: "| `never-made` | 404 | |",
            mended: "", with: ["Sources/Statecast/Problems.swift": "let code: \"never-made\""]),
    ]

    private static let growth = [
        RuleSample(
            .budgets, "Feeds", in: "Sources/Feeds/Feed.swift", broken: "struct Feed {}",
            mended: "import Redux\n// Says nothing.\n{\n}\n"),
        RuleSample(
            .copies, "a, b, c, d", in: "Sources/Redux/Other.swift",
            broken: "actor Other {\n\(alike)\nvar e = 1\n}",
            mended: "actor Other { var a, b, c, d: Int }\nstruct Own { \(alike.dropLast()) }",
            with: [
                "Sources/Redux/Feed.swift": "struct Feed { \(alike) }",
                "Sources/Sockets/Feed.swift": "class Feed { let e: Int\n\(alike)\n}",
            ]),
    ]

    private static let alike = "let a: Int\nlet b: [String]\nvar c: Int\nvar d: Bool?"

    /// The same sample, mended by another place for its file.
    private func moved(to path: String) -> RuleSample {
        var mended = mended
        for (old, text) in broken where old.hasSuffix(".swift") && old != "Package.swift" {
            mended[old] = nil
            mended[path] = text
        }
        return RuleSample(
            rule: rule, subject: subject, number: number, broken: broken, mended: mended)
    }

    private init(
        rule: Rule, subject: String, number: Int, broken: [String: String], mended: [String: String]
    ) {
        self.rule = rule
        self.subject = subject
        self.number = number
        self.broken = broken
        self.mended = mended
    }
}
