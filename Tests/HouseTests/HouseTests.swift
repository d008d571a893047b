import Testing

@Suite struct `The house` {
    @Test(arguments: Rule.allCases)
    func `keeps each rule, but for what the list allows`(rule: Rule) throws {
        let tree = try SourceTree.checkout.get()
        let verdict = Verdict(rule, findings: rule.findings(in: tree), allowances: allowances)
        for complaint in verdict.complaints { Issue.record("\(complaint)") }
        if !verdict.complaints.isEmpty {
            let rows = verdict.rows.map { "    \($0)" }.joined(separator: "\n")
            Issue.record("Mend it. The rows of \(rule.rawValue) that would allow it:\n\(rows)")
        }
    }

    @Test func `is read whole`() throws {
        let tree = try SourceTree.checkout.get()
        #expect(tree.sources.count > 300)
        #expect(tree.manifest.targets.count > 30)
        for target in tree.manifest.targets {
            let files = try Repository.files(under: target.path)
            #expect(!files.isEmpty, "\(target.name) has no files in \(target.path)")
        }
        for file in tree.files {
            let opened = file.tokens.count { $0.isMark("{") }
            let closed = file.tokens.count { $0.isMark("}") }
            #expect(opened == closed, "\(file.path) was not understood: its braces do not match")
        }
    }

    @Test func `makes exceptions only for what there is`() throws {
        let tree = try SourceTree.checkout.get()
        let names = tree.sources.flatMap { file in
            file.declarations.map { "\(file.target).\($0.fullName)" }
        }
        #expect(DeadDeclarations.instruments.isSubset(of: names))
        let types = Set(tree.sources.flatMap(\.declarations).filter(\.isType).map(\.fullName))
        #expect(types.isSuperset(of: Sizes.closerTypeLimits.keys))
        let targets = Set(tree.manifest.targets.map(\.name))
        #expect(targets.isSuperset(of: Layers.forbidden.keys))
        #expect(targets.isSuperset(of: Layers.forbidden.values.joined()))
        #expect(targets.isSuperset(of: Layers.systemModules.values.joined()))
    }
}
