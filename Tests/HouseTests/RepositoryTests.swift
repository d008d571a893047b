import Foundation
import Testing

@Suite struct `The repository` {
    @Test func `shows at the top what a visitor expects, and nothing else`() throws {
        let expected: Set<String> = [
            "Package.swift", "Sources", "Tests", "Public", "docker-compose.yml", "README.md",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        let visible = Set(names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" })
        #expect(visible == expected)
    }

    @Test func `has every source file that the article on it sends its reader to`() throws {
        let sources = try SourceTree.files(under: "Sources")
        let text = try SourceTree.text(of: "Sources/Statecast/Statecast.docc/The-house.md")
        let names = text.matches(of: /`([A-Za-z+\/]+\.swift)`/).map(\.1)
        #expect(names.count > 5)
        for name in names {
            #expect(sources.contains { $0.hasSuffix("/\(name)") }, "The article names \(name)")
        }
    }

    @Test func `has pages that load nothing from other hosts`() throws {
        for path in try SourceTree.files(under: "Public", "Sources/CPages")
        where [".html", ".css", ".js"].contains(where: path.hasSuffix) {
            let text = try SourceTree.text(of: path)
            for mark in ["src=\"http", "href=\"http", "url(http", "from \"http", "@import"] {
                #expect(!text.contains(mark), "\(path) holds \(mark)")
            }
        }
    }

    @Test func `names options in commands alone: a library speaks of its own settings`() throws {
        // The report of a crash names the command that reduces again what led there.
        let commands = [
            "Sources/StatecastCommand/", "Sources/RemoteControl/", "Sources/MockUpstreamCommand/",
            "Sources/Statecast/Serving/CrashRecording.swift",
        ]
        for path in try SourceTree.files(under: "Sources")
        where path.hasSuffix(".swift") && !commands.contains(where: path.hasPrefix) {
            let lines = try SourceTree.text(of: path).split(separator: "\n")
            for line in lines
            where line.contains("--") && !line.drop(while: { $0 == " " }).hasPrefix("//") {
                #expect(!line.contains(/\s"?--[a-z]/), "\(path) says \(line)")
            }
        }
    }

    @Test func `explains each code of a problem that it makes`() throws {
        let article = try SourceTree.text(of: "Sources/Statecast/Statecast.docc/Problems.md")
        let rows = Set(article.matches(of: /\n\| `([a-z-]+)` \|/).map(\.1))
        var made: Set<Substring> = []
        let targets = [
            "HTTPMessages", "HTTPServer", "Redux", "Sessions", "SignedHooks", "Statecast",
        ]
        for path in try targets.flatMap({ try SourceTree.files(under: "Sources/\($0)") })
        where path.hasSuffix(".swift") {
            let text = try SourceTree.text(of: path)
            for (_, code) in text.matches(of: /(?:code|ofLibrary): "([a-z-]+)/).map(\.output) {
                #expect(rows.contains(code), "\(path) makes \(code)")
                made.insert(code)
            }
        }
        #expect(made.count > 50)
    }

    /// What only the journal in memory shows: it forgets a session that has ended, holds no copy of a
    /// state, so that what a server holds can be measured, and measures none that nobody reads.
    private let onlyInMemory = [
        "ForgettingTests.swift", "ReachTests.swift", "StateSizeTests.swift",
        "UnreadAnswerTests.swift",
    ]

    @Test func `tests a server with the journal in memory and with one that answers later`() throws
    {
        var suiteCount = 0
        for path in try SourceTree.files(under: "Tests/StatecastTests")
        where path.hasSuffix(".swift") && !path.contains("/Support/")
            && !onlyInMemory.contains(where: path.hasSuffix)
        {
            let text = try SourceTree.text(of: path)
            let starts = ["TestServer.run(", "Demo."]
            guard starts.contains(where: text.contains) else { continue }
            suiteCount += 1
            // A suite that scripts its journal has one of its own.
            let hasOwn = text.contains("ScriptedJournal(")
            #expect(hasOwn || text.contains(".onBothJournals"), "\(path)")
        }
        #expect(suiteCount > 20)
    }
}
