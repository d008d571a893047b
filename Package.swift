// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target is compiled under the same, strictest rules.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency =
    .product(name: "ArgumentParser", package: "swift-argument-parser")
let unixSignals: Target.Dependency =
    .product(name: "UnixSignals", package: "swift-service-lifecycle")
let asyncAlgorithms: Target.Dependency =
    .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")

let package = Package(
    name: "statecast",
    // Of the products that a client imports; the server's are for Linux.
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .library(name: "Statecast", targets: ["Statecast", "Journaling", "Redux", "StateCoding"]),
        .library(name: "Redux", targets: ["Redux"]),
        .library(name: "StatecastTesting", targets: ["StatecastTesting"]),
        .library(name: "StatecastClient", targets: ["StatecastClient"]),
        .library(
            name: "StatecastClientCurl", targets: ["StatecastClient", "StatecastClientCurl"]),
        // Of the client in `Sources/Examples/ShoppingListClient`, which is a package of its own.
        .library(name: "ShoppingListModel", targets: ["ShoppingListModel"]),
        .library(name: "HTTPClient", targets: ["HTTPClient"]),
        .library(name: "SignedHooks", targets: ["SignedHooks"]),
        .library(name: "JournalSQLite", targets: ["JournalSQLite"]),
        .library(name: "JournalPostgreSQL", targets: ["JournalPostgreSQL"]),
        .library(name: "JournalConformance", targets: ["JournalConformance"]),
        .executable(name: "statecast", targets: ["StatecastCommand"]),
        .executable(name: "mock-upstream", targets: ["mock-upstream"]),
        .executable(name: "load-generator", targets: ["load-generator"]),
    ],
    // Each begins at the version that is tested: `.ci/lowest` builds against these.
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/HdrHistogram/hdrhistogram-swift", .upToNextMinor(from: "0.2.0")
        ),
    ],
    targets: [
        // 7 — the commands, and the tools that measure them.
        /// The product `statecast`: serves the demo applications.
        .executableTarget(
            name: "StatecastCommand",
            dependencies: [
                "Statecast", "HTTPClient", "Sockets", "MockUpstream", "Cards", "Counter",
                "CounterModel", "Episodes", "Rides", "Benchmark", "BenchmarkModel",
                "JournalPostgreSQL", "JournalSQLite", "Journaling", "RemoteControl", "StateCoding",
                argumentParser, logging, unixSignals,
            ]),
        /// The commands that ask any server: dispatch, state, watch, tail, sessions.
        .target(
            name: "RemoteControl",
            dependencies: [
                "Bytes", "ClientWire", "HTTPClient", "Redux", "Sockets", "StateCoding",
                "StatecastClientCurl",
                argumentParser,
            ]),
        /// The stand-in for the outside APIs that the demo applications call, as a process.
        .executableTarget(
            name: "mock-upstream",
            dependencies: ["MockUpstream", argumentParser, logging, unixSignals],
            path: "Sources/MockUpstreamCommand"),
        /// Measures a running server: posts, fan-out, mix, idle streams.
        .executableTarget(
            name: "load-generator",
            dependencies: ["ClientWire", "HTTPMessages", "Sockets", argumentParser, histogram],
            path: "Tests/Benchmarks/LoadGenerator"),
        /// Nanoseconds a dispatch, a patch, a view: the store beside a bare actor.
        .executableTarget(
            name: "store-benchmark",
            dependencies: [
                "Bytes", "Journaling", "Redux", "Sessions", "StateCoding", "Statecast",
            ],
            path: "Tests/Benchmarks/StoreBenchmark"),

        /// Entries a second, kept durably: the journals beside a file, bare SQLite and bare libpq.
        .executableTarget(
            name: "journal-benchmark",
            dependencies: [
                "Benchmark", "BenchmarkModel", "CPostgreSQL", "CSQLite", "ClientWire",
                "FileJournal",
                "JournalPostgreSQL", "JournalSQLite", "Journaling", "PostgreSQL",
                "PostgreSQLServer", "Redux", "Sockets", "StateCoding", "Statecast", "Threads",
            ],
            path: "Tests/Benchmarks/JournalBenchmark"),

        // 6 — applications, and what tests of applications use.
        // Each is two targets: a model, which is states, actions and reducing, and imports no
        // server, so that a client can have it, too; and the application, which is its work, its
        // views and the world outside.
        /// A lobby and card tables: people who sign in, hidden hands, turns that end by themselves.
        .target(
            name: "Cards", dependencies: ["CardsModel", "Statecast"],
            path: "Sources/Examples/Cards"),
        .target(
            name: "CardsModel", dependencies: ["Redux"], path: "Sources/Examples/CardsModel"),
        /// The smallest application: one number.
        .target(
            name: "Counter", dependencies: ["CounterModel", "Statecast"],
            path: "Sources/Examples/Counter"),
        .target(
            name: "CounterModel", dependencies: ["Redux"], path: "Sources/Examples/CounterModel"),
        /// Upcoming TV episodes: search, details, comments, profiles, navigation as state.
        .target(
            name: "Episodes",
            dependencies: ["EpisodesModel", "Statecast", "HTTPClient"],
            path: "Sources/Examples/Episodes"),
        .target(
            name: "EpisodesModel", dependencies: ["Redux"],
            path: "Sources/Examples/EpisodesModel"),
        /// Ordering a ride: launch, onboarding, sign-in, picking, confirming.
        .target(
            name: "Rides", dependencies: ["RidesModel", "Statecast", "HTTPClient"],
            path: "Sources/Examples/Rides"),
        .target(
            name: "RidesModel", dependencies: ["Redux"], path: "Sources/Examples/RidesModel"),
        /// The application of the documentation, and its server: a shopping list for a household.
        .executableTarget(
            name: "ShoppingList", dependencies: ["ShoppingListModel", "SignedHooks", "Statecast"],
            path: "Sources/Examples/ShoppingList"),
        .target(
            name: "ShoppingListModel", dependencies: ["Redux"],
            path: "Sources/Examples/ShoppingListModel"),
        /// The work of the benchmarks: a counter and twenty small records.
        .target(
            name: "Benchmark", dependencies: ["BenchmarkModel", "Statecast"],
            path: "Sources/Examples/Benchmark"),
        .target(
            name: "BenchmarkModel", dependencies: ["Redux"],
            path: "Sources/Examples/BenchmarkModel"),
        /// The outside APIs of the demo applications, served by our own HTTP server.
        .target(
            name: "MockUpstream",
            dependencies: [
                "HTTPServer", "HTTPMessages", "Sockets", "StateCoding", "Bytes", httpTypes, logging,
            ]),
        /// A test store, a server on a free port, a manual clock.
        .target(
            name: "StatecastTesting",
            dependencies: [
                "ClientWire", "Statecast", "HTTPMessages", "Journaling", "Redux", "Reflection",
                "Sessions", "StateCoding", "Sockets", "Bytes", logging,
            ]),

        /// Routes whose requests are signed: a product of its own, which needs libsodium.
        .target(
            name: "SignedHooks",
            dependencies: ["Bytes", "HTTPServer", "Sodium", "Statecast", httpTypes]),

        // 5 — what the author of an application imports.
        /// Application, Server, resources and routes: HTTP on one side, sessions on the other.
        .target(
            name: "Statecast",
            dependencies: [
                "CPages", "ClientWire", "HTTPServer", "Journaling", "Sessions", "Sockets",
                "HTTPMessages", "StateCoding", "Redux", "Bytes", "Threads", httpTypes, logging,
                unixSignals,
            ],
            resources: [
                .embedInCode("Statecast.docc/Problems.md"),
                .embedInCode("Statecast.docc/Limits-and-configuration.md"),
            ]),

        // 4 — sessions without HTTP.
        /// Session, durability, projections: bytes and versions in, values out.
        .target(
            name: "Sessions",
            dependencies: ["Bytes", "Journaling", "Redux", "StateCoding", deque]),

        // 3 — one protocol or format each.
        /// HTTP/1.1 over sockets: connections, limits, static files.
        .target(
            name: "HTTPServer",
            dependencies: ["Sockets", "Gzip", "HTTPMessages", "Bytes", httpTypes, logging]),
        /// Outbound requests on one thread over libcurl's multi interface, and JSON by them.
        .target(
            name: "HTTPClient",
            dependencies: ["Bytes", "Curl", "Gzip", "StateCoding", "Threads", httpTypes, deque]),
        /// The way of a mirror over libcurl: a product of its own.
        .target(
            name: "StatecastClientCurl", dependencies: ["ClientWire", "HTTPClient"]),
        /// The wire as a client has it: requests, answers, events, the state that they show. No I/O.
        .target(name: "ClientWire", dependencies: ["HTTPMessages", "StateCoding", "Bytes"]),
        /// A mirror of a session for any platform: its actions are shown before the server has answered.
        .target(
            name: "StatecastClient",
            dependencies: ["Bytes", "ClientWire", "Redux", "StateCoding"]),
        /// Sessions in an SQLite database: a product of its own, which nothing else needs.
        .target(
            name: "JournalSQLite",
            dependencies: [
                "Bytes", "JournalRows", "Journaling", "Redux", "SQLite", "Sodium",
                "StateCoding", "Threads",
            ]),
        /// Sessions in a PostgreSQL database: a product of its own, which loads libpq at its first use.
        .target(
            name: "JournalPostgreSQL",
            dependencies: [
                "Bytes", "JournalRows", "Journaling", "PostgreSQL", "Redux", "Sodium",
                "StateCoding", "Threads",
            ]),
        /// What both journals read and write: entries behind a kept state, secrets, lines of JSON.
        .target(
            name: "JournalRows", dependencies: ["Journaling", "Redux", "Sodium", "StateCoding"]),
        /// Where a session's entries are kept: the seam, and the journal in memory.
        .target(name: "Journaling", dependencies: ["Redux", "StateCoding"]),

        // 2 — bindings: with Reflection the only place for `unsafe`.
        /// Descriptors, epoll event loops, timers.
        .target(
            name: "Sockets", dependencies: ["CLinux", "Bytes", "Threads", deque]),
        /// Lock, named thread, mailbox, the clocks.
        .target(name: "Threads", dependencies: ["Bytes", "CLinux"]),
        /// zlib streams.
        .target(name: "Gzip", dependencies: ["CZlib"]),
        /// A database's folder, its connections and statements, and sums of its rows.
        .target(name: "SQLite", dependencies: ["CSQLite", "CZlib", "Threads"]),
        /// A thread with some of libpq's connections, and statements as values.
        .target(
            name: "PostgreSQL",
            dependencies: ["Bytes", "CLinux", "CPostgreSQL", "CZlib", "Threads"]),
        /// Bytes that are sealed.
        .target(name: "Sodium", dependencies: ["CSodium"]),
        /// libcurl handles.
        .target(name: "Curl", dependencies: ["CCurl", "Bytes"]),

        // 1 — formats as values.
        /// RFC 9110 and 9112 as values: request parser, response serializer, event stream.
        .target(name: "HTTPMessages", dependencies: ["Bytes"]),
        /// Codable to and from JSON: states, actions, JSON Pointer.
        .target(name: "StateCoding", dependencies: ["Bytes", "Redux", "Reflection"]),

        // 0 — no Foundation, no I/O, no dependency.
        /// Store, Reducer, Middleware, Effect, selectors.
        .target(name: "Redux"),
        /// Spans, decimal and hexadecimal digits, JSON strings, shared bytes, dates, instants, and the
        /// memory that a server's clients may hold.
        .target(name: "Bytes"),
        /// The cases of enums, and the types of stored properties, as the compiler describes them.
        .target(name: "Reflection"),
        /// What Glibc's module lacks: epoll, eventfd, accept4.
        .target(name: "CLinux"),
        /// The files that every server has, as bytes of the program.
        .target(name: "CPages", exclude: ["client", "inspect"]),
        /// zlib's header.
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        /// libpq's functions, which are found when they are first used: nothing is linked.
        .target(name: "CPostgreSQL"),
        /// SQLite's header.
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        /// libsodium's header.
        .target(name: "CSodium", linkerSettings: [.linkedLibrary("sodium")]),
        /// libcurl's header, and its variadic functions with types.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),

        // Tests mirror the sources.
        .testTarget(
            name: "ReduxTests",
            dependencies: ["Redux", "StatecastTesting", "SmallStack", "Bytes"]),
        .testTarget(name: "BytesTests", dependencies: ["Bytes"]),
        .testTarget(
            name: "HTTPMessagesTests",
            dependencies: ["HTTPMessages", "RequestVectors"]),
        /// Raw requests and what a server has to make of them, for the parser and for sockets.
        .target(name: "RequestVectors", path: "Tests/Support/RequestVectors"),
        /// System calls that fail, or move few bytes, when a test wants it.
        .target(
            name: "FaultPlans", dependencies: ["Sockets"], path: "Tests/Support/FaultPlans"),
        /// Random documents and patches that fit them.
        .target(
            name: "RandomPatches", dependencies: ["Bytes"], path: "Tests/Support/RandomPatches"),
        /// Threads with a stack as small as a server's may be.
        .target(name: "SmallStack", path: "Tests/Support/SmallStack"),
        /// A folder with files that goes with its test.
        .target(
            name: "TemporaryFolder", dependencies: ["Bytes", "Sockets", "Threads"],
            path: "Tests/Support/TemporaryFolder"),
        /// Enums that are compiled without reflection metadata.
        .target(
            name: "Unreflected", dependencies: ["Redux"], path: "Tests/Support/Unreflected"),
        .testTarget(name: "ReflectionTests", dependencies: ["Reflection", "Unreflected"]),
        .testTarget(
            name: "StateCodingTests",
            dependencies: [
                "Bytes", "RandomPatches", "Redux", "SmallStack", "StateCoding", "Unreflected",
            ]),
        .testTarget(
            name: "ClientWireTests", dependencies: ["ClientWire", "HTTPMessages"]),
        .testTarget(
            name: "StatecastClientTests",
            dependencies: [
                "Bytes", "Cards", "CardsModel", "ClientWire", "Redux", "ShoppingList",
                "ShoppingListModel", "StateCoding", "Statecast", "StatecastClient",
                "StatecastClientCurl", "StatecastTesting",
            ]),
        .testTarget(
            name: "RemoteControlTests",
            dependencies: [
                "ClientWire", "RemoteControl", "StateCoding", "TemporaryFolder", argumentParser,
            ]),
        .testTarget(
            name: "SocketsTests",
            dependencies: ["Bytes", "FaultPlans", "Sockets", "Threads"]),
        .testTarget(name: "ThreadsTests", dependencies: ["Bytes", "Threads"]),
        .testTarget(name: "GzipTests", dependencies: ["Gzip"]),
        .testTarget(
            name: "SignedHooksTests",
            dependencies: ["HTTPServer", "SignedHooks", "Statecast", "StatecastTesting"]),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["HTTPClient", "Gzip", "Bytes", "Redux", httpTypes]),
        .testTarget(
            name: "MockUpstreamTests",
            dependencies: ["MockUpstream", "HTTPClient", httpTypes]),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: [
                "Bytes", "FaultPlans", "HTTPServer", "HTTPMessages", "Sockets",
                "Gzip", "RequestVectors", "TemporaryFolder", httpTypes, logging,
            ]),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "Bytes", "Journaling", "Redux", "Sessions", "StateCoding",
            ]),
        /// A journal of one file, by the public declarations of `Journaling` alone.
        .target(
            name: "FileJournal", dependencies: ["Journaling", "Redux"],
            path: "Tests/Support/FileJournal"),
        /// The product by which an author's own journal is held to the laws that every journal keeps.
        .target(
            name: "JournalConformance",
            dependencies: ["Bytes", "Journaling", "Redux", "Threads"],
            path: "Tests/Support/JournalConformance"),
        /// A server as an author starts one, with what the demos have not: faults, alarms, a rate of the newest.
        .executableTarget(
            name: "faulty-server",
            dependencies: ["JournalPostgreSQL", "JournalSQLite", "Statecast", logging],
            path: "Tests/Support/FaultyServer"),
        /// A process that changes a journal, to be killed.
        .executableTarget(
            name: "journal-writer",
            dependencies: ["Bytes", "JournalConformance", "JournalSQLite", "Journaling", "Redux"],
            path: "Tests/Support/JournalWriter"),
        .testTarget(
            name: "JournalSQLiteTests",
            dependencies: [
                "Bytes", "JournalConformance", "JournalRows", "JournalSQLite", "Journaling",
                "Redux", "SQLite",
            ]),
        /// A PostgreSQL from Debian's package, for one run, and a network that fails before it.
        .target(
            name: "PostgreSQLServer", dependencies: ["Threads"],
            path: "Tests/Support/PostgreSQLServer"),
        .testTarget(
            name: "JournalPostgreSQLTests",
            dependencies: [
                "JournalConformance", "JournalPostgreSQL", "JournalSQLite", "Journaling",
                "PostgreSQL", "PostgreSQLServer", "Redux", "TemporaryFolder",
            ]),
        /// Servers that keep their sessions, one after the other.
        .testTarget(
            name: "KeptServerTests",
            dependencies: [
                "JournalPostgreSQL", "JournalSQLite", "Journaling", "PostgreSQLServer", "Redux",
                "StateCoding", "Statecast", "StatecastTesting", "TemporaryFolder", "Threads",
                logging,
            ]),
        .testTarget(
            name: "StatecastTests",
            dependencies: [
                "Statecast", "StatecastTesting", "HTTPServer", "Journaling", "Redux",
                "Sessions", "StateCoding", "Sockets", "Counter", "CounterModel", "HTTPMessages",
                "Bytes", "Gzip", "SmallStack", "TemporaryFolder", "Threads", logging,
                asyncAlgorithms,
            ],
            exclude: ["Golden"]),
        /// The model of the auction house, which is an application in a package of its own.
        .target(
            name: "AuctionModel", dependencies: ["Redux"],
            path: "Tests/Dependents/AuctionHouse/Sources/Model"),
        .testTarget(
            name: "StatecastTestingTests",
            dependencies: [
                "AuctionModel", "StatecastTesting", "Statecast", "Redux", "Sessions", "Sockets",
                "StateCoding", "Bytes", "Counter", "CounterModel", "Journaling", "TemporaryFolder",
            ]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Benchmark", "BenchmarkModel", "Cards", "CardsModel", "Counter", "CounterModel",
                "Episodes", "EpisodesModel", "Rides", "RidesModel", "ShoppingList",
                "ShoppingListModel", "Statecast", "StatecastTesting", "MockUpstream",
                "HTTPClient", "Redux", "StateCoding", "Bytes", "Journaling",
                "Sessions",
            ],
            exclude: ["Recordings", "Wire"]),
        .testTarget(name: "HouseTests", exclude: ["PublicDeclarations.txt"]),
        /// The articles' examples, and that the articles show no others.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "FileJournal", "HTTPClient", "JournalConformance", "JournalPostgreSQL",
                "JournalSQLite", "PostgreSQLServer", "Redux", "ShoppingList", "ShoppingListModel",
                "SignedHooks", "StateCoding", "Statecast", "StatecastTesting", "TemporaryFolder",
                asyncAlgorithms,
            ],
            exclude: ["Statecast/Recordings", "Statecast/Wire"]),
        /// The real binary, killed at any moment, and several of them, cut off from each other.
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Bytes", "ClientWire", "HTTPMessages", "PostgreSQLServer", "Sockets",
                "StateCoding", "StatecastTesting", "TemporaryFolder", "Threads",
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Cards", "CardsModel", "ClientWire", "CounterModel", "EpisodesModel", "HTTPClient",
                "PostgreSQLServer", "RandomPatches", "Redux", "Rides", "RidesModel", "Sockets",
                "Statecast", "StatecastClient", "StatecastClientCurl", "StatecastTesting",
                "TemporaryFolder",
                httpTypes,
            ],
            exclude: ["FormerClient", "JavaScript"]),
    ]
)

// All but the targets in C: CCurl, CLinux, CPages, CPostgreSQL, CSQLite, CSodium, CZlib.
for target in package.targets where !["CC", "CL", "CP", "CS", "CZ"].contains(target.name.prefix(2))
{
    target.swiftSettings = strict
    if target.name == "Unreflected" {
        target.swiftSettings?.append(
            .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"]))
    }
}

nameWhatStandsBehind(package)

/// Works round a defect of SwiftPM: it compiles a target again only when a module that the target
/// names has changed, and a module whose own interface stays the same counts as unchanged.
///
/// The layouts and the inlined code of the modules behind that one are compiled into the target as
/// well, and a build that follows another would leave code that knows the old ones. So every target
/// and library names all targets that stand behind it. The table above says what each of them may
/// import, and a test holds the imports to it; what stands behind a library is `package`, and
/// nothing for others to call.
@MainActor
func nameWhatStandsBehind(_ package: Package) {
    func names(in target: Target) -> [String] {
        target.dependencies.compactMap { dependency in
            if case .byNameItem(let name, _) = dependency { name } else { nil }
        }
    }
    func closure(of roots: [String]) -> Set<String> {
        var found: Set<String> = []
        var rest = roots
        while let name = rest.popLast() {
            guard let target = package.targets.first(where: { $0.name == name }),
                found.insert(name).inserted
            else { continue }
            rest += names(in: target)
        }
        return found
    }
    for target in package.targets {
        let named = names(in: target)
        let unnamed = closure(of: named).subtracting(named)
        target.dependencies += unnamed.sorted().map { .byName(name: $0) }
    }
    package.products = package.products.map { product in
        guard let library = product as? Product.Library else { return product }
        return .library(name: library.name, targets: closure(of: library.targets).sorted())
    }
}
