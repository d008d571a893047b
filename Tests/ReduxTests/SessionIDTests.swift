import Redux
import Testing

@Suite struct `A session id` {
    @Test(arguments: ["a", "...", "A-z_0.9~", String(repeating: "x", count: 128)])
    func `is made of unreserved characters`(text: String) {
        #expect(SessionID(text)?.description == text)
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a b", "ä", "a%20", "a\u{0}", String(repeating: "x", count: 129),
    ])
    func `is refused otherwise`(text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test func `made at random is never the same`() {
        let ids = (0..<1_000).map { _ in SessionID.random() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { SessionID($0.description) == $0 })
    }
}
