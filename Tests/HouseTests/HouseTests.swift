import Foundation
import Testing

@Suite struct `The house` {
    @Test(arguments: Rule.all)
    func `keeps each rule`(rule: Rule) throws {
        for finding in rule.findings(try SourceTree.checkout.get()) {
            Issue.record(Comment(rawValue: finding))
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
            let files = try SourceTree.files(under: target.path)
            #expect(!files.isEmpty, "\(target.name) has no files in \(target.path)")
        }
        for file in tree.files {
            let opened = file.tokens.count { $0.text == "{" }
            let closed = file.tokens.count { $0.text == "}" }
            #expect(opened == closed, "\(file.path) was not understood: its braces do not match")
        }
    }

    @Test func `has a client, and models for it, that need nothing of Linux`() throws {
        let tree = try SourceTree.checkout.get()
        let models = tree.manifest.targets.map(\.name).filter { $0.hasSuffix("Model") }
        #expect(models.count > 5)
        let all = Set(
            (["StatecastClient"] + models).flatMap { [$0] + tree.manifest.closure(of: $0) })
        #expect(all.subtracting(models).isSubset(of: Layers.portable))
        let imported = tree.sources.filter { all.contains($0.target) }.flatMap(\.imports)
        #expect(
            Set(imported.map(\.module)).subtracting(all) == [
                "Foundation", "FoundationEssentials", "FoundationNetworking", "Observation",
                "Synchronization",
            ])
    }

    @Test func `makes exceptions only for what there is`() throws {
        let tree = try SourceTree.checkout.get()
        let names = tree.sources.flatMap { file in
            file.declarations.map { "\(file.target).\($0.fullName)" }
        }
        #expect(DeadDeclarations.instruments.isSubset(of: names))
        let targets = Set(tree.manifest.targets.map(\.name))
        #expect(targets.isSuperset(of: Layers.drawing.keys))
        #expect(targets.isSuperset(of: Layers.drawing.values.joined()))
        #expect(targets.isSuperset(of: Layers.systemModules.values.joined()))
        #expect(targets.isSuperset(of: Names.known.keys))
    }
}

@Suite struct `The public declarations` {
    /// One a line, in order: the package's face, but for its examples. A new one shows up as a difference in review.
    private static let path = "Tests/HouseTests/PublicDeclarations.txt"

    @Test func `are those of the checked-in list`() throws {
        let library = try SourceTree.checkout.get().sources.filter {
            !$0.path.hasPrefix("Sources/Examples/")
        }
        let list = library.flatMap { file in
            file.declarations.filter(\.isPublic).map { "\(file.target) \($0.fullName)" }
        }.sorted()
        if ProcessInfo.processInfo.environment["UPDATE_LISTS"] != nil {
            try list.map { "\($0)\n" }.joined().write(
                to: SourceTree.root.appending(path: Self.path), atomically: true, encoding: .utf8)
        }
        let known = try SourceTree.text(of: Self.path).split(separator: "\n").map(String.init)
        let lines = list.difference(from: known).map { change in
            switch change {
            case .remove(_, let line, _): "- \(line)"
            case .insert(_, let line, _): "+ \(line)"
            }
        }
        guard !lines.isEmpty else { return }
        Issue.record(
            """
            \(Self.path) is to have these lines (-: no more, +: new), by hand or by \
            UPDATE_LISTS=1 swift test --filter "public declarations":
            \(lines.joined(separator: "\n"))
            """)
    }
}
