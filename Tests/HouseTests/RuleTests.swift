import Testing

@Suite struct `A rule` {
    @Test(arguments: Rule.all)
    func `finds what breaks it, and nothing else`(rule: Rule) throws {
        let sample = try #require(samples[rule.testDescription])
        let expected = sample.prefix { $0 != "=" }.split(separator: "\n")
        let found = rule.findings(tree(sample))
        #expect(found.count == expected.count, "\(found)")
        for (found, expected) in zip(found, expected) { #expect(found.contains(expected)) }
    }

    /// Files behind lines with their names, in the order of these.
    private func tree(_ text: String) -> SourceTree {
        let files = text.split(separator: "== ").dropFirst().map { file in
            let name = file.prefix { $0 != "\n" }
            return (String(name), String(file.dropFirst(name.count + 1)))
        }
        return SourceTree(Dictionary(uniqueKeysWithValues: files))
    }

    private static let alike = "let a: Int\nlet b: [String]\nvar c: Int\nvar d: Bool?"

    /// By rule: what its findings have to say, then a small tree with what breaks the rule beside
    /// what comes near to it.
    private let samples: [String: String] = [
        "imports are named in the manifest": """
        Sources/Other/File.swift
        Statecast names HTTPClient
        Statecast imports Sockets
        == Package.swift
        let logging: Target.Dependency =
            .product(name: "Logging", package: "swift-log")
        // .target(name: "Other"),
        .target(
            name: "Statecast", dependencies: ["Redux", "HTTPClient", logging]),
        .target(name: "Redux", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "HTTPClient"), .executableTarget(name: "Sockets")
        == Sources/Redux/Store.swift
        import Synchronization
        == Sources/Statecast/Server.swift
        @testable public import struct Logging.Logger
        internal import Redux // import HTTPClient
        let text = "import HTTPClient"
        import Sockets
        == Sources/Other/File.swift
        """,
        "arrows point down": """
        Statecast has nothing to do with HTTPClient
        Sessions has nothing to do with
        Redux has nothing to do with Feeds
        Redux has nothing to do with Sockets
        Feed has nothing to do with Feeds
        == Package.swift
        .target(name: "Statecast", dependencies: ["Sessions"]),
        .target(name: "Sessions", dependencies: ["HTTPClient"]),
        .target(name: "Redux", dependencies: ["Sockets", "Feeds"]),
        .target(name: "Feed", dependencies: ["Feeds"], path: "Sources/Examples/Feed"),
        .target(name: "Feeds", dependencies: ["Sockets"], path: "Tests/Support/Feeds"),
        .target(name: "HTTPClient"), .target(name: "Sockets")
        """,
        "modules of the system": """
        Dates.swift:6: StateCoding is for platforms
        Dates.swift:7: StateCoding does without Foundation
        == Sources/StateCoding/Dates.swift
        #if canImport(FoundationEssentials)
        import FoundationEssentials
        #else
        import Foundation
        #endif
        import FoundationEssentials
        import Foundation
        import Synchronization
        == Sources/Rides/Ride.swift
        import FoundationEssentials
        """,
        "models of examples": """
        FeedState.swift says package
        FeedModel is a model and needs no Statecast
        FeedModel is a model and needs no Synchronization
        into CardsModel
        == Package.swift
        .target(name: "Feed", dependencies: ["FeedModel", "Statecast"],
            path: "Sources/Examples/Feed"),
        .target(name: "FeedModel", dependencies: ["Redux", "Statecast"],
            path: "Sources/Examples/FeedModel"),
        .target(name: "Cards", dependencies: ["Statecast"], path: "Sources/Examples/Cards"),
        == Sources/Examples/FeedModel/FeedState.swift
        import StateCoding
        import Synchronization
        package struct FeedState {} // package
        """,
        "banned calls": """
        Feed.swift:1: try!
        Feed.swift:3: Task.sleep
        Feed.swift:4: pthread_mutex_lock
        Feed.swift: TODO
        FeedTests.swift:1: DispatchQueue
        FeedTests.swift:3: sleep(
        == Sources/Redux/Feed.swift
        let a = try! b() /* TODO: more */
        let c = try !d("try! TODO") // try!
        try await Task.sleep(for: .seconds(1))
        pthread_mutex_lock(a)
        func sleep(for time: Int) { sleep(for: 1) }
        == Sources/Sockets/Lock.swift
        pthread_mutex_lock(a)
        == Tests/ReduxTests/FeedTests.swift
        DispatchQueue.global()
        let text = "DispatchQueue"
        clock.sleep(1); sleep(1)
        """,
        "unsafe code": """
        Feed.swift:1: unsafe
        Feed.swift:2: @unchecked
        Lock.swift:3: @unchecked
        == Sources/Redux/Feed.swift
        let a = unsafe b.pointee
        extension A: @unchecked Sendable {}
        let c = "unsafe" // unsafe
        == Sources/Sockets/Lock.swift
        // Safety: one owner.
        extension A: @unchecked Sendable { var a = unsafe b() }
        extension B: @unchecked Sendable {}
        """,
        "names that say nothing": """
        Feed+Utilities
        FeedManager
        == Sources/Redux/Feed.swift
        struct FeedManager { func helper() {} }
        struct Score {}
        == Sources/Redux/Feed+Utilities.swift
        """,
        "names of types": """
        Sockets is the name of a module
        called Feed.Item
        == Package.swift
        .target(name: "Sockets"), .target(name: "Sessions")
        == Sources/Redux/Feed.swift
        struct Item { struct Sockets {} }
        enum Feed { private struct Item {} }
        public enum Sockets {}
        public enum Sessions {}
        == Sources/Sockets/Feed.swift
        extension Feed { enum Item {} }
        """,
        "dead declarations": """
        speaks of one
        speaks of two
        speaks of three: strike it, with the tests of it
        == Sources/Redux/Feed.swift
        struct Feed: Codable, Idle {
            private func one() {}
            var two: Int { 1 }
            var stored = 1
            func three() {}
            public func four() {}
            func required() { five() }
            func five() {}
            public func six() {}
        }
        let feed = Feed()
        protocol Idle { func required() }
        == Sources/Redux/Other.swift
        feed.one()
        let six = feed
        == Tests/ReduxTests/FeedTests.swift
        let text = "one two \\(three())"
        == README.md
        Call `four()`.
        """,
        "lines of files": """
        Feed.swift: 451 lines
        == Sources/Redux/Feed.swift
        \(String(repeating: "// A\n", count: 451))\
        == Sources/Redux/Item.swift
        \(String(repeating: "// A\n", count: 450))
        """,
        "budgets": """
        Sources/Feeds: 1 lines that say something and 1 types
        == Sources/Feeds/Feed.swift
        struct Feed {
        }
        == Sources/Others/Feed.swift
        import Redux
        // Says nothing.
        {
        }
        """,
        "copies": """
        Redux.Feed, Redux.Item, Sockets.Feed: all have a, b, c, d
        == Sources/Redux/Feed.swift
        struct Feed { \(Self.alike) }
        actor Item {\n\(Self.alike)\nvar e = 1\n}
        struct Own { var a, b, c, d: Int }
        struct Other { \(Self.alike.dropLast()) }
        == Sources/Sockets/Feed.swift
        class Feed { let e: Int\n\(Self.alike)\n}
        """,
    ]
}
