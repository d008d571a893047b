import SmallStack
import StateCoding
import Testing

struct DepthTests {
    @Test func `values at the depth limit fit on a stack of 1 MiB`() async throws {
        let equal = try await SmallStack.run {
            let nest = try decoded(Nest.self, encoded(Nest(128))) == Nest(128)
            let chain = try decoded(Chain.self, encoded(Chain(127))) == Chain(127)
            let fruit = try decoded(Fruit.self, encoded(Fruit.deep(120))) == Fruit.deep(120)
            return nest && chain && fruit
        }
        #expect(equal)
    }

    @Test func `values past the limit are refused on a stack of 1 MiB`() async throws {
        let refused = try await SmallStack.run {
            let endless = #expect(throws: EncodingFailure.self) { try encoded(Endless()) }
            let deep = #expect(throws: EncodingFailure.self) { try encoded(Nest(1000)) }
            let text = String(repeating: "[", count: 100_000)
            let read = #expect(throws: DecodingFailure.self) { try decoded(Nest.self, text) }
            return endless?.reason == .tooDeep && deep?.reason == .tooDeep
                && read?.reason == .tooDeep
        }
        #expect(refused)
    }

    @Test func `values that decode themselves for ever are refused`() async throws {
        let isRefused = try await SmallStack.run {
            #expect(throws: DecodingFailure.self) { try decoded(EndlessRead.self, "1") } != nil
        }
        #expect(isRefused)
    }

    @Test func `a limit can be set`() {
        #expect(throws: DecodingFailure.self) { try decoded(Nest.self, "[[[]]]", maximumDepth: 2) }
    }
}

extension Fruit {
    /// A fruit inside others, `depth` objects deep.
    static func deep(_ depth: Int) -> Fruit {
        (1..<depth).reduce(.pear(1)) { fruit, _ in .inside(fruit) }
    }
}
