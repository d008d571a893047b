import Redux
import StatecastTesting
import Testing

@Suite struct `What is kept is tried again` {
    private struct Full: Error, CustomStringConvertible {
        var description: String { "full" }
    }

    private static let persistence = Persistence<String, String, String>(
        "text",
        in: SavedValues(
            load: { _ in nil }, save: { _, _ in throw Full() }, delete: { _ in throw Full() }),
        key: "demo", retries: 17, select: { $0 }, isLoaded: { _ in false }, loaded: { $0 ?? "" },
        failed: { failure, _ in "\(failure)" })

    private static let reducer: Reducer<String, String> = { state, action, _ in
        if !action.hasPrefix("save:") { state = action }
    }

    @Test func `after waits that double, up to an hour`() {
        let store = TestStore(
            initial: "", reducer: Self.reducer, middleware: [Self.persistence.middleware])
        store.send("new") { $0 = "new" }
        store.run()
        store.receive("save: full")
        // 100 ms doubled fifteen times are 3,276.8 s, and then it is an hour.
        #expect(store.clock.now.offset == .milliseconds(100 * 65_535 + 3_600_000))
    }

    @Test func `and two of them keep what they have each`() async throws {
        let kept = SavedValues<String>.inMemory()
        func keeping(_ name: String) -> Persistence<String, String, String> {
            Persistence(
                name, in: kept, key: name, select: { $0 }, isLoaded: { _ in false },
                loaded: { $0 ?? "" }, failed: { failure, _ in "\(failure)" })
        }
        let store = TestStore(
            initial: "", reducer: Self.reducer,
            middleware: [keeping("one").middleware, keeping("other").middleware],
            exhaustivity: .nonExhaustive)
        store.send("new")
        store.run()
        #expect(try await kept.load("one") == "new")
        #expect(try await kept.load("other") == "new")
    }
}
