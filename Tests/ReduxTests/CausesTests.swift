import Testing

@testable import Redux

@Suite struct `The causes of a ledger` {
    @Test func `of an entry name its root, its depth and its chain`() {
        let root = Cause(version: 3, origin: .client)
        let child = Cause(version: 5, origin: .effect, after: root)
        let grandchild = Cause(version: 8, origin: .effect, after: child)
        #expect([root, child, grandchild].map(\.root) == [3, 3, 3])
        #expect([root, child, grandchild].map(\.depth) == [0, 1, 2])
        #expect(grandchild.chain == [3, 5])
        #expect(grandchild.path == [3, 5, 8])
    }

    @Test func `that come late begin a new chain of the same root`() {
        var cause = Cause(version: 5, origin: .client, after: Cause(version: 3, origin: .client))
        cause.isLate = true
        let entry = Cause(version: 9, origin: .effect, after: cause)
        #expect(entry.root == 3)
        #expect(entry.depth == 0)
        #expect(entry.chain == [])
        #expect(cause.ofUndecided.depth == 0)
        #expect(!cause.ofUndecided.isLate)
    }

    @Test func `are one deeper while the action that they caused is no entry`() {
        let root = Cause(version: 3, origin: .client)
        #expect(root.ofUndecided.depth == 1)
        #expect(root.ofUndecided.path == root.path)
    }

    @Test func `that end with an effect are told with its entry`() {
        let causes = Causes<Int>(limits: StoreLimits())
        let entry = Cause(version: 5, origin: .effect, after: Cause(version: 3, origin: .client))
        causes.end(entry)
        #expect(causes.takeEnded(and: [3, 9]) == [entry, Cause(version: 9, origin: .effect)])
        #expect(!causes.hasEnded)
    }
}
