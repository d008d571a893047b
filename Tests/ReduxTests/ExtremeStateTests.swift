import Redux
import SmallStack
import Synchronization
import Testing

/// Boxes in boxes.
private indirect enum Nest: Sendable, Equatable {
    case leaf(Int)
    case box(Nest)

    init(depth: Int, _ number: Int) {
        self = (0..<depth).reduce(.leaf(number)) { nest, _ in .box(nest) }
    }
}

private struct Extreme: Sendable, Equatable {
    var nest = Nest(depth: 100, 0)
    var blobs: [String: [UInt8]] = [:]
    var texts: [String] = []
}

private enum ExtremeAction: Sendable {
    case nested(Int)
    case filled
    case appended(String)
}

/// A store around which everything stands that looks at states, and what was told.
private func run(_ actions: [ExtremeAction]) -> (outcomes: [Outcome], told: [String]) {
    let texts = Mutex<[String]>([])
    let tell: @Sendable (String) -> Void = { text in texts.withLock { $0.append(text) } }
    let store = Store<Extreme, ExtremeAction>(
        initial: Extreme(),
        reducer: { state, action, _ in
            switch action {
            case .nested(let number): state.nest = Nest(depth: 100, number)
            case .filled:
                for number in 0..<10 {
                    state.blobs["\(number)"] = [UInt8](repeating: 1, count: 1 << 20)
                }
            case .appended(let text): state.texts.append(text)
            }
        },
        middleware: [.logger(write: tell)],
        environment: Environment(now: { Timestamp(milliseconds: 0) }))
    store.checks = ReductionChecks(timeBudget: nil)
    store.onDiagnostic = { tell("\($0)") }
    let outcomes = actions.map { store.dispatch($0) }
    return (outcomes, texts.withLock { $0 })
}

@Suite struct `A stack of 1 MiB` {
    @Test func `is enough for a state that is nested a hundred times`() async throws {
        let (outcomes, told) = try await SmallStack.run { run([.nested(1), .nested(2)]) }
        #expect(
            outcomes == [
                .accepted(first: 1, last: 1, changed: true),
                .accepted(first: 2, last: 2, changed: true),
            ])
        let difference = told.first { $0.hasPrefix("#2 client nested(2)\n") }
        #expect(difference?.contains("leaf(1)") == true)
        #expect(difference?.contains("leaf(2)") == true)
    }

    @Test func `is enough for a state of ten million bytes`() async throws {
        let (outcomes, told) = try await SmallStack.run { run([.filled, .appended("x")]) }
        #expect(outcomes.last == .accepted(first: 2, last: 2, changed: true))
        #expect(told.contains { $0.hasPrefix("largeState(version: 1") })
        #expect(told.contains("#2 client appended(\"x\")\n  texts: [] → [\"x\"]"))
        #expect(
            told.contains(
                "#1 client filled\n  blobs: [:] → Dictionary<String, Array<UInt8>> of 10"))
        #expect(told.allSatisfy { $0.utf8.count < 2_000 })
    }
}
