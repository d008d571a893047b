import Testing

@Suite struct `A rule` {
    @Test(arguments: RuleSample.all.indices)
    func `finds what breaks it, and nothing once it is mended`(index: Int) throws {
        let sample = RuleSample.all[index]
        let found = sample.rule.findings(in: SourceTree(sample.broken))
            .filter { $0.subject == sample.subject }
        #expect(
            found.count == sample.number,
            "\(sample.rule.rawValue) of \(sample.broken): \(found)")
        #expect(found.allSatisfy { $0.rule == sample.rule && !$0.advice.isEmpty })
        let rest = sample.rule.findings(in: SourceTree(sample.mended))
            .filter { $0.subject == sample.subject }
        #expect(rest.isEmpty, "\(sample.rule.rawValue) of \(sample.mended): \(rest)")
    }

    @Test(arguments: Rule.allCases)
    func `is one that can fail`(rule: Rule) {
        #expect(RuleSample.all.contains { $0.rule == rule })
    }

    @Test func `names the file and the line of what it finds`() throws {
        let tree = SourceTree(["Sources/Redux/Feed.swift": "\n\nstruct FeedHelper {}"])
        let finding = try #require(Rule.emptyNames.findings(in: tree).first)
        #expect(finding.place == "Sources/Redux/Feed.swift:3")
    }

    @Test func `of layers finds levels that no target has`() {
        let tree = SourceTree(["Package.swift": RuleSample.manifest])
        let findings = Layers.findings(in: tree, levels: [["Redux", "Gone"]], forbidden: [:])
        #expect(findings.contains { $0.subject == "Gone" })
        #expect(!findings.contains { $0.subject == "Redux" })
    }

    @Test func `of public declarations lists them by target and name`() {
        let tree = SourceTree([
            "Package.swift": RuleSample.manifest,
            "Sources/Redux/Feed.swift": "public struct Feed { public var a: Int { 1 }; var b = 1 }",
        ])
        #expect(PublicDeclarations.list(in: tree) == ["Redux Feed", "Redux Feed.a"])
    }

    @Test(arguments: [
        ("JSONTextWriter", ["JSON", "Text", "Writer"]), ("sendAll", ["send", "All"]),
        ("HTTPServer+TLS", ["HTTP", "Server", "TLS"]), ("Core", ["Core"]), ("Score", ["Score"]),
    ])
    func `of names parts them into words`(name: String, words: [String]) {
        #expect(Names.words(of: name) == words)
    }
}
