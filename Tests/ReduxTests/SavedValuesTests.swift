import Redux
import Testing

/// Values that outlive their session.
@Suite("Saved values")
struct SavedValuesTests {
    @Test func `in memory, the value kept longest makes room`() async throws {
        let values = SavedValues<Int>.inMemory(limit: 2)
        for number in 1...3 { try await values.save(number, under: "\(number)") }
        #expect(try await values.load("1") == nil)
        #expect(try await values.load("2") == 2)
        #expect(try await values.load("3") == 3)
    }

    @Test func `a value takes the place of another, and a deleted one is gone`() async throws {
        let values = SavedValues<Int>.inMemory()
        try await values.save(1, under: "a")
        try await values.save(2, under: "a")
        #expect(try await values.load("a") == 2)
        try await values.delete("a")
        try await values.delete("a")
        #expect(try await values.load("a") == nil)
    }

    @Test func `under one key one waits for the other, under two nobody does`() async throws {
        let slow = Slow()
        let values = slow.values
        let first = Task { try await values.save(1, under: "a") }
        await slow.hasBegun()
        let second = Task { try await values.save(2, under: "a") }
        try await values.save(3, under: "b")
        #expect(await slow.written == ["b": 3])
        await slow.open()
        try await first.value
        try await second.value
        #expect(await slow.written == ["a": 2, "b": 3])
    }

    @Test func `one who is cancelled while it waits writes nothing`() async throws {
        let slow = Slow()
        let values = slow.values
        let first = Task { try await values.save(1, under: "a") }
        await slow.hasBegun()
        let second = Task { try await values.save(2, under: "a") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await slow.open()
        try await first.value
        #expect(await slow.written == ["a": 1])
    }

    /// Writes what is under `a` once the test says so.
    private actor Slow {
        private(set) var written: [String: Int] = [:]
        private var isOpen = false
        private var writer: CheckedContinuation<Void, Never>?
        private var test: CheckedContinuation<Void, Never>?

        nonisolated var values: SavedValues<Int> {
            SavedValues(
                load: { _ in nil }, save: { await self.save($0, under: $1) }, delete: { _ in })
        }

        private func save(_ value: Int, under key: String) async {
            if key == "a", !isOpen {
                await withCheckedContinuation { continuation in
                    writer = continuation
                    test?.resume()
                    test = nil
                }
            }
            written[key] = value
        }

        /// Goes on once a writer waits.
        func hasBegun() async {
            guard writer == nil else { return }
            await withCheckedContinuation { test = $0 }
        }

        func open() {
            isOpen = true
            writer?.resume()
        }
    }
}
