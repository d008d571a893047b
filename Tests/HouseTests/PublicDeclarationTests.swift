import Foundation
import Testing

@Suite struct `The public declarations` {
    /// One a line, in order. A new one shows up as a difference in review.
    private static let path = "Tests/HouseTests/PublicDeclarations.txt"

    @Test func `are those of the checked-in list`() throws {
        let list = PublicDeclarations.list(in: try SourceTree.checkout.get()).sorted()
        let url = Repository.root.appending(path: Self.path)
        if ProcessInfo.processInfo.environment["UPDATE_LISTS"] != nil {
            try list.map { "\($0)\n" }.joined().write(to: url, atomically: true, encoding: .utf8)
        }
        let known = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let lines = PublicDeclarations.differences(from: known.map(String.init), to: list)
        guard !lines.isEmpty else { return }
        Issue.record(
            """
            \(Self.path) is to have these lines (-: no more, +: new), by hand or by \
            UPDATE_LISTS=1 swift test --filter "public declarations":
            \(lines.joined(separator: "\n"))
            """)
    }

    @Test func `differ from a list by the lines that are gone and those that are new`() {
        let known = ["A a", "A a", "A b", "A d"]
        #expect(PublicDeclarations.differences(from: known, to: known) == [])
        #expect(
            PublicDeclarations.differences(from: known, to: ["A a", "A b", "A c", "A d"])
                == ["- A a", "+ A c"])
    }
}
