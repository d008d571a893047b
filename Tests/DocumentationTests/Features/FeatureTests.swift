import Redux
import StatecastTesting
import Testing

/// Three features that every library for states shows, each whole in a file of its own.
@Suite struct `A feature` {
    private struct Offline: Error {}

    @Test func `loads a text for a number`() {
        let store = TestStore(Counter(trivia: { "\($0) is even." }))
        store.send(.incremented(by: 2)) { $0.count = 2 }
        store.send(.asked) { $0.trivia = .loading(nil) }
        store.receive(.told(.value("2 is even."))) { $0.trivia = .loaded("2 is even.") }
        store.send(.incremented(by: 11), rejectedAs: "too-far", field: "by")
    }

    @Test func `searches once typing has paused`() {
        let searches = ManualAnswers<String, [String]>()
        let store = TestStore(Search { try await searches.answer(to: $0) })
        store.send(.edited(text: "b")) { ($0.text, $0.results) = ("b", .loading(nil)) }
        store.send(.edited(text: "br")) { $0.text = "br" }
        store.advance(by: .milliseconds(300))
        searches.fail("br", with: Offline())
        store.receive(.found(.problem(.failed))) { $0.results = .failed(.failed, nil) }
        #expect(searches.asked == ["br"])
    }

    @Test func `tries a comment four times, then by hand, and survives a restart`() {
        let posts = ManualAnswers<String, Bool>()
        let store = TestStore(
            Comments { _ = try await posts.answer(to: $1) }, as: Principal("alice"))
        store.send(.written(text: "Hi")) {
            $0.comments = [.init(id: "id-1", author: "alice", text: "Hi")]
        }
        for pause in [0, 100, 200, 400] {
            store.advance(by: .milliseconds(pause))
            posts.fail("id-1", with: Offline())
        }
        store.receive(.posted(id: "id-1", answer: .problem(.failed))) {
            $0.comments[0].status = .failed(.failed)
        }
        store.send(.retried(id: "id-1")) { $0.comments[0].status = .sending }
        store.restart()
        posts.succeed("id-1", with: true)
        store.receive(.posted(id: "id-1", answer: .value(Done()))) {
            $0.comments[0].status = .sent
        }
    }

    /// As the formatter lays it out, from the application's first line to its last, comments left
    /// out: lines with text, and characters that are no white space.
    @Test(arguments: [("Counter", 33, 750), ("Search", 33, 700), ("Comments", 46, 1_300)])
    func `stays short`(name: String, lines: Int, characters: Int) throws {
        let file = "Tests/DocumentationTests/Features/\(name).swift"
        let code = try Articles.text(of: file).split(separator: "\n").drop {
            !$0.hasPrefix("struct ")
        }.filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
        try #require(!code.isEmpty)
        let count = code.joined().count { !$0.isWhitespace }
        #expect(code.count <= lines)
        #expect(count <= characters)
    }
}
