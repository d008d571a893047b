import Redux
import Testing

@testable import StatecastTesting

@Suite struct `A secret in the state of a test store` {
    struct Safe: Codable, Equatable, Sendable {
        var key = Secret("none")
        var openings = 0
    }

    enum Action: Equatable, Sendable {
        case locked(Secret<String>)
        case opened
    }

    @Test func `is gone after a restart, and nothing else is`() {
        let store = TestStore<Safe, Action>(
            initial: Safe(),
            reducer: { (state, action, _) throws(Rejection) in
                switch action {
                case .locked(let key): state.key = key
                case .opened: state.openings += 1
                }
            })
        store.send(.locked(Secret("4711"))) { $0.key = Secret("4711") }
        store.restart()
        #expect(store.state.key.value == Secret<String>.redacted)
        store.send(.opened) { $0.openings = 1 }
    }

    @Test func `hides no property beside it that is not written`() throws {
        struct Note: Codable, Equatable {
            var key = Secret("none")
            var words = ""

            enum CodingKeys: CodingKey { case key }
        }
        #expect(try wayThroughJSON(of: Note()).isSame)
        #expect(try !wayThroughJSON(of: Note(words: "lost")).isSame)
    }

    @Test func `may stand anywhere in the state`() throws {
        enum Entry: Codable, Equatable { case locked(by: Secret<String>?) }
        let state = [["a": Entry.locked(by: Secret("4711"))]]
        #expect(try wayThroughJSON(of: state).isSame)
    }
}
