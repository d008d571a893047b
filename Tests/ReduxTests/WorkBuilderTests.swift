import Testing

@testable import Redux

/// Everything that a builder accepts.
private struct Everything: Sendable {
    enum Choice: CaseIterable { case one, other, neither }
    struct Row: Equatable, Sendable { var id: Int, text: String }

    @WorkBuilder<String>
    func work(in choice: Choice, rows: [Row]) -> [Work<String>] {
        switch choice {
        case .one: Work("one", { 1 }) { "\($0.value ?? 0)" }
        case .other:
            Work("context", for: 1, policy: .retrying(2).whileWatched) {
                $0 + $1.attempt
            } then: {
                "\($0)"
            }
            Work("void", {}) { $0.problem?.code ?? "done" }
        case .neither: []
        }
        if choice == .one {
            Work("void context", for: 1) { _, context in
                try await context.send("")
            } then: { _ in
                ""
            }
        } else {
            others
        }
        let named = rows.filter { !$0.text.isEmpty }
        for row in named {
            Work.subscription(row.id, for: row.text) { text, context in
                try await context.send(text)
            } catch: {
                $0.code
            }
        }
        Work.group("rows", of: rows) { rows in
            for row in rows { Work(row.id, for: row.text, { $0 }) { $0.value ?? "" } }
        }
    }

    private var others: [Work<String>] {
        [
            .alarm("first", at: Timestamp(milliseconds: 1), send: "1"),
            .alarm(2, at: .init(milliseconds: 2), send: "2"),
        ]
    }
}

@Suite struct `The list of works` {
    private func names<Action>(_ works: [Work<Action>]) -> [String] { works.map(\.name) }

    @Test func `branches, loops, arrays and nothing at all are written down in order`() {
        let rows = [Everything.Row(id: 7, text: "x"), .init(id: 8, text: "")]
        let all = Everything()
        #expect(
            names(all.work(in: .one, rows: rows)) == ["one", "void context", "7", "rows"])
        #expect(
            names(all.work(in: .other, rows: [])) == [
                "context", "void", "first", "2", "rows",
            ])
        #expect(names(all.work(in: .neither, rows: [])) == ["first", "2", "rows"])
    }

    @Test func `work is the same as long as its type and its value are`() {
        func isSame(_ one: Work<Int>, _ other: Work<Int>) -> Bool {
            one.isSame(other.name, other.value)
        }
        let one = Work<Int>("a", for: 1, { $0 }) { $0.value ?? 0 }
        #expect(isSame(one, Work("a", for: 1, { $0 }) { _ in 7 }))
        #expect(!isSame(one, Work("b", for: 1, { $0 }) { $0.value ?? 0 }))
        #expect(!isSame(one, Work("a", for: 2, { $0 }) { $0.value ?? 0 }))
        #expect(!isSame(one, Work("a", for: "1", { $0 }) { _ in 0 }))
        #expect(!isSame(one, .subscription("a", for: 1) { _, _ in }))
        let alarm = Work.alarm("a", at: Timestamp(milliseconds: 1), send: 1)
        #expect(isSame(alarm, .alarm("a", at: Timestamp(milliseconds: 1), send: 1)))
        #expect(!isSame(alarm, .alarm("a", at: Timestamp(milliseconds: 2), send: 1)))
        #expect(!isSame(alarm, .alarm("a", at: Timestamp(milliseconds: 1), send: 2)))
    }

    @Test func `names of two children stay apart`() {
        let child = [
            Work<Int>("load", for: 1, { $0 }) { $0.value ?? 0 },
            Work<Int>("save", for: 1, { $0 }) { $0.value ?? 0 }.map(in: "deep") { $0 },
        ]
        let left = child.map(in: "left") { "\($0)" }
        let right = child.map(in: "right") { "\($0)" }
        #expect(names(left) == ["left/load", "left/deep/save"])
        #expect(names(right.map(in: 1) { [$0] }) == ["1/right/load", "1/right/deep/save"])
        let again = child.map(in: "left") { "\($0)" }[0]
        #expect(left[0].isSame(again.name, again.value))
        #expect(!left[0].isSame(right[0].name, right[0].value))
        #expect(names([Work<Int>]().map(in: "none") { $0 }).isEmpty)
    }

    @Test func `names are texts, in which a slash stands between two parts alone`() {
        #expect(String(workName: "a/b") == "a~1b")
        #expect(String(workName: ["a", "b"]) == "a/b")
        #expect(String(workName: "~1") == "~01")
        #expect(String(workName: 7) == "7")
        #expect(String(workName: Everything.Choice.one) == "one")
    }

    @Test func `rules are chained in any order`() {
        let policy = WorkPolicy.retrying(2, backoff: .seconds(1)).timingOut(after: .seconds(3))
        #expect(policy.retries == 2)
        #expect(policy.backoff == .seconds(1))
        #expect(policy == .timingOut(after: .seconds(3)).retrying(2, backoff: .seconds(1)))
        #expect(WorkPolicy.finishing.whileWatched == .whileWatched.finishing)
        #expect(WorkPolicy.debounced(.seconds(1)) != .throttled(.seconds(1)))
        #expect(WorkPolicy.retrying(-1) == WorkPolicy())
    }
}
