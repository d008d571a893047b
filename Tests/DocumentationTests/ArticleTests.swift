import Testing

@Suite struct `The articles` {
    @Test func `show no Swift that is not compiled and tested`() throws {
        let sources = try Articles.sources()
        let blocks = try Articles.blocks(in: "swift")
        try #require(!blocks.isEmpty)
        for block in blocks {
            let isFound = sources.values.contains { contains($0, block.lines) }
            #expect(isFound, "\(block) stands in no source: \(block.lines.first ?? "empty")")
        }
    }

    @Test func `show no JSON that no test has sent or read`() throws {
        let sources = try Articles.sources().values.joined()
        for block in try Articles.blocks(in: "json") {
            for line in block.lines {
                #expect(
                    sources.contains { $0.contains(line) }, "\(block) shows an unknown \(line)")
            }
        }
    }

    @Test func `are listed on the page of their module`() throws {
        let articles = try Articles.all().filter { $0.hasSuffix(".md") && $0.contains(".docc/") }
        try #require(!articles.isEmpty)
        for article in articles {
            let catalog = article.prefix { $0 != "." }
            let module = Self.name(of: "\(catalog).md")
            let name = Self.name(of: article)
            let page = try Articles.text(of: "\(catalog).docc/\(module).md")
            #expect(
                name == module || page.contains("<doc:\(name)>"),
                "\(module) does not list \(name)")
        }
    }

    @Test(arguments: [
        ("Capabilities", "| What it does |", 52), ("Sessions-in-PostgreSQL", "| Promise |", 10),
    ])
    func `name tests that there are, for each capability and each promise`(
        article: String, head: String, count: Int
    ) throws {
        let tests = try Articles.tests()
        let text = try Articles.text(of: "Sources/Statecast/Statecast.docc/\(article).md")
        let tables = text.split(separator: "\n\n").filter { $0.hasPrefix(head) }
        let rows = tables.flatMap { $0.split(separator: "\n").dropFirst(2) }
        #expect(rows.count == count)
        for row in rows {
            let names = row.split(separator: "|").last?.matches(of: /`([^`]+)`/).map(\.1) ?? []
            #expect(!names.isEmpty, "\(row)")
            for name in names { #expect(tests.contains(String(name)), "There is no test \(name)") }
        }
    }

    private static func name(of path: String) -> String {
        String(path.split(separator: "/").last?.dropLast(3) ?? "")
    }

    private func contains(_ source: [String], _ lines: [String]) -> Bool {
        guard let first = lines.first else { return false }
        return source.indices.contains { start in
            source[start] == first && source[start...].starts(with: lines)
        }
    }
}
