import Redux
import Synchronization

/// A store with real effects, whose reports the test hands over.
final class EffectBench {
    enum Action: Sendable, Equatable {
        /// Starts effects that report a hop each.
        case fanned(Int)
        /// Starts another hop, until none are left.
        case hopped(Int)
        /// Starts an effect whose report the reducer refuses.
        case refusedLater
        case refused
        /// Starts an effect that waits until it is cancelled, behind others of its name.
        case waited(String)
        /// Starts an effect that takes the place of those of its name, and ends.
        case replaced(String)
        case left
        /// Starts an effect that reports so many numbers, one after the other.
        case flooded(Int)
        case counted(Int)
    }

    struct State: Sendable, Equatable {
        var isHere = true
        var counts: [Int] = []
    }

    let store: Store<State, Action>
    private(set) var settled: [UInt64] = []
    private(set) var diagnostics: [StoreDiagnostic] = []
    private let deliveries: AsyncStream<StoreDelivery<Action>>

    init(
        _ middleware: [Middleware<State, Action>] = [], limits: StoreLimits = StoreLimits()
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreDelivery<Action>.self)
        deliveries = stream
        let effects = Middleware<State, Action>(
            "effects", effectsAfter: { Self.effects(after: $0.action) })
        store = Store(
            initial: State(),
            reducer: { (state, action, _) throws(Rejection) in
                switch action {
                case .refused: throw Rejection("refused", "No.")
                case .left: state.isHere = false
                case .counted(let number): state.counts.append(number)
                default: break
                }
            },
            middleware: middleware + [effects],
            environment: Environment(now: { Timestamp(milliseconds: 0) }), limits: limits,
            deliver: { continuation.yield($0) })
        store.onSettled = { [unowned self] in settled.append($0) }
        store.onDiagnostic = { [unowned self] in diagnostics.append($0) }
    }

    private static func effects(after action: Action) -> [Effect<Action>] {
        switch action {
        case .fanned(let count):
            return (0..<count).map { number in
                .run("fan \(number)") { try await $0.send(.hopped(number)) }
            }
        case .hopped(let rest):
            guard rest > 0 else { return [] }
            // Hops of two fans may have the same name at the same time; both are made.
            return [.run("hop \(rest)", overlap: .queue) { try await $0.send(.hopped(rest - 1)) }]
        case .refusedLater: return [.run("refused") { try await $0.send(.refused) }]
        case .waited(let name):
            return [.run(name, overlap: .queue) { try await $0.sleep(for: .seconds(100_000)) }]
        case .replaced(let name): return [.run(name, overlap: .latest) { _ in }]
        case .flooded(let count):
            return [
                .run("flood") { context in
                    for number in 1...count { try await context.send(.counted(number)) }
                }
            ]
        case .refused, .left, .counted: return []
        }
    }

    /// Takes what effects report until none runs.
    func settle() async {
        while !store.isIdle, let delivery = await nextDelivery() { store.receive(delivery) }
    }

    /// Waits for one report, and does not hand it over.
    func nextDelivery() async -> StoreDelivery<Action>? {
        var iterator = deliveries.makeAsyncIterator()
        return await iterator.next()
    }
}
