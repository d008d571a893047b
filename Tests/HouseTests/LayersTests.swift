import Foundation
import Testing

/// The layers of the house: what each target's sources may import, apart from the standard
/// library. The build's own check lets through whatever is in the transitive closure.
private let allowedImports: [String: Set<String>] = [
    "Redux": ["Synchronization"],
    "StateCoding": ["FoundationEssentials", "Synchronization"],
    "HTTPMessages": ["HTTPTypes"],
    "Sockets": ["CLinux", "DequeModule", "Glibc", "Synchronization"],
    "Gzip": ["CZlib"],
    "Curl": ["CCurl", "Glibc", "Synchronization"],
    "HTTPServer": [
        "DequeModule", "Gzip", "HTTPMessages", "HTTPTypes", "Logging", "Sockets",
        "Synchronization",
    ],
    "HTTPClient": ["Curl", "DequeModule", "Gzip", "HTTPTypes", "Synchronization"],
    "Journaling": ["Redux", "StateCoding"],
    "Statecast": [
        "AsyncAlgorithms", "DequeModule", "FoundationEssentials", "Gzip", "HTTPMessages",
        "HTTPServer", "HTTPTypes", "Journaling", "Logging", "Redux", "Sockets", "StateCoding",
        "Synchronization",
    ],
    "MockUpstream": [
        "FoundationEssentials", "HTTPMessages", "HTTPServer", "Logging", "Sockets", "StateCoding",
    ],
    "Examples/Counter": ["Statecast"],
    "Examples/Benchmark": ["Statecast"],
    "Examples/Episodes": ["FoundationEssentials", "HTTPClient", "OutsideAPI", "Statecast"],
    "Examples/Rides": ["FoundationEssentials", "HTTPClient", "OutsideAPI", "Statecast"],
    "Examples/ShoppingList": ["Statecast"],
    "Examples/OutsideAPI": ["HTTPClient", "HTTPTypes", "StateCoding"],
]

@Suite struct `The layers` {
    @Test(arguments: allowedImports.keys.sorted())
    func `each target imports only what stands below it`(target: String) throws {
        let allowed = try #require(allowedImports[target])
        for file in try Repository.swiftFiles(under: "Sources/\(target)") {
            for module in try Repository.imports(of: file) {
                #expect(allowed.contains(module), "\(file.lastPathComponent) imports \(module)")
            }
        }
    }

    @Test func `unsafe code and unchecked promises stand in the bindings only`() throws {
        let bindings: Set<String> = ["Sockets", "Gzip", "Curl"]
        let marks = ["@unchecked Sendable", "nonisolated(unsafe)", "assumeIsolated"]
        for file in try Repository.swiftFiles(under: "Sources") {
            let target = Repository.target(of: file)
            guard !bindings.contains(target) else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for mark in marks {
                #expect(!text.contains(mark), "\(target)/\(file.lastPathComponent): \(mark)")
            }
        }
    }

    @Test func `the top level holds only what a visitor expects`() throws {
        let expected: Set<String> = [
            "Package.swift", "Sources", "Tests", "Public", "docker-compose.yml", "README.md",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let visible = Set(names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" })
        #expect(visible == expected)
    }
}
