import Testing

@Suite struct `The house` {
    @Test(arguments: Rule.allCases)
    func `keeps each rule`(rule: Rule) throws {
        for finding in rule.findings(in: try SourceTree.checkout.get()) {
            Issue.record("\(finding.place): \(finding.advice)")
        }
    }

    @Test func `is asked about what is large`() throws {
        let tree = try SourceTree.checkout.get()
        let notes = Sizes.questions(in: tree) + Budgets.notes(in: tree) + Copies.notes(in: tree)
        for note in notes { print(note) }
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
        let targets = Set(tree.manifest.targets.map(\.name))
        #expect(targets.isSuperset(of: Layers.forbidden.keys))
        #expect(targets.isSuperset(of: Layers.forbidden.values.joined()))
        #expect(targets.isSuperset(of: Layers.systemModules.values.joined()))
    }
}
