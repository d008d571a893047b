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

    @Test func `link to every other one of their module`() throws {
        for module in ["Redux", "Statecast"] {
            let articles = try Articles.all().filter { $0.contains("/\(module).docc/") }
            try #require(!articles.isEmpty)
            let names = articles.map { Self.name(of: $0) }.filter { $0 != module }
            let landing = try Articles.text(of: "Sources/\(module)/\(module).docc/\(module).md")
            for name in names {
                #expect(landing.contains("<doc:\(name)>"), "\(module) does not list \(name)")
            }
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
