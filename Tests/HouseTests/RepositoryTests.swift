import Foundation
import Testing

@Suite struct `The repository` {
    @Test func `shows at the top what a visitor expects, and nothing else`() throws {
        let expected: Set<String> = [
            "Package.swift", "Sources", "Tests", "Public", "docker-compose.yml", "README.md",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let visible = Set(names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" })
        #expect(visible == expected)
    }

    @Test func `has every source file that the article on it sends its reader to`() throws {
        let sources = try Repository.files(under: "Sources").map(\.path)
        let article = "Sources/Statecast/Statecast.docc/The-house.md"
        let text = try String(
            contentsOf: Repository.root.appending(path: article), encoding: .utf8)
        let names = text.matches(of: /`([A-Za-z+\/]+\.swift)`/).map(\.1)
        #expect(names.count > 5)
        for name in names {
            #expect(sources.contains { $0.hasSuffix("/\(name)") }, "The article names \(name)")
        }
    }

    @Test func `has pages that load nothing from other hosts`() throws {
        let kinds: Set<String> = ["html", "css", "js"]
        for file in try Repository.files(under: "Public") where kinds.contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for mark in ["src=\"http", "href=\"http", "url(http", "from \"http", "@import"] {
                #expect(!text.contains(mark), "\(file.lastPathComponent) holds \(mark)")
            }
        }
    }
}
