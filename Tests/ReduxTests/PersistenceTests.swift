import Redux
import Synchronization
import Testing

/// A part of the state that is kept beyond the session.
@Suite("Persistence")
struct PersistenceTests {
    @Test func `what was kept is read at launch, and not written again`() async {
        let disk = Disk(["demo": "Ada"])
        let host = Host(disk)
        await host.launch()
        #expect(await host.settle() == State(isLaunched: true, user: "Ada"))
        #expect(disk.calls == ["load demo"])
    }

    @Test func `where nothing was kept, the launch goes on without`() async {
        let disk = Disk()
        let host = Host(disk)
        await host.launch()
        #expect(await host.settle() == State(isLaunched: true))
        #expect(disk.calls == ["load demo"])
    }

    @Test func `a change is saved, an equal value is not, an absent one is deleted`() async {
        let disk = Disk()
        let host = Host(disk)
        await host.dispatch(.signedIn("Ada"))
        _ = await host.settle()
        await host.dispatch(.signedIn("Ada"))
        await host.dispatch(.ticked)
        _ = await host.settle()
        #expect(disk.content == ["demo": "Ada"])
        await host.dispatch(.signedOut)
        _ = await host.settle()
        #expect(disk.content.isEmpty)
        #expect(disk.calls == ["save Ada under demo", "delete demo"])
    }

    @Test func `the newest of many changes is what stays`() async {
        let disk = Disk()
        let host = Host(disk)
        for name in ["Ada", "Bo", "Cy"] { await host.dispatch(.signedIn(name)) }
        await host.dispatch(.signedOut)
        await host.dispatch(.signedIn("Di"))
        _ = await host.settle()
        #expect(disk.content == ["demo": "Di"])
    }

    @Test func `a failed read is told in the state, and later changes are still saved`() async {
        let disk = Disk(failures: 4)
        let host = Host(disk)
        await host.launch()
        #expect(await host.settle() == State(failures: ["load: full"]))
        await host.dispatch(.signedIn("Ada"))
        _ = await host.settle()
        #expect(disk.content == ["demo": "Ada"])
    }

    @Test func `a failure that a retry mends is not told`() async {
        let disk = Disk(failures: 3)
        let host = Host(disk)
        await host.dispatch(.signedIn("Ada"))
        #expect(await host.settle().failures.isEmpty)
        #expect(disk.content == ["demo": "Ada"])
    }

    @Test func `a value that cannot be saved or deleted is told in the state`() async {
        let disk = Disk(["demo": "Ada"], failures: 8)
        let host = Host(disk)
        await host.dispatch(.signedIn("Bo"))
        _ = await host.settle()
        await host.dispatch(.signedOut)
        #expect(await host.settle().failures == ["save: full", "delete: full"])
        #expect(disk.content == ["demo": "Ada"])
    }

    @Test func `a step may keep what is in no state`() async {
        let disk = Disk()
        let values = disk.values
        let persistence = Persistence<State, Action, String>(
            "token", in: values, key: "demo",
            change: { transition in
                guard case .signedIn(let name) = transition.action else { return nil }
                return .save("token of \(name)")
            },
            loaded: { .launched($0) }, failed: { failure, _ in .failed("\(failure)") })
        let host = Host(disk, persistence: persistence)
        await host.dispatch(.signedIn("Ada"))
        _ = await host.settle()
        #expect(disk.content == ["demo": "token of Ada"])
    }

    struct State: Equatable, Sendable {
        var isLaunched = false
        var user: String?
        var ticks = 0
        var failures: [String] = []
    }

    enum Action: Equatable, Sendable {
        case launched(String?)
        case signedIn(String)
        case signedOut
        case ticked
        case failed(String)
    }

    /// A store on an actor, to which its effects come back.
    private actor Host {
        private let persistence: Persistence<State, Action, String>
        private var store: Store<State, Action>?
        private let (deliveries, continuation) = AsyncStream.makeStream(
            of: StoreDelivery<Action>.self)

        init(_ disk: Disk, persistence: Persistence<State, Action, String>? = nil) {
            self.persistence =
                persistence
                ?? Persistence(
                    "user", in: disk.values, key: "demo", select: { $0.user },
                    isLoaded: { if case .launched = $0 { true } else { false } },
                    loaded: { .launched($0) }, failed: { failure, _ in .failed("\(failure)") })
        }

        private func made() -> Store<State, Action> {
            if let store { return store }
            let continuation = continuation
            let made = Store<State, Action>(
                initial: State(),
                reducer: { state, action, _ in
                    switch action {
                    case .launched(let user):
                        state.isLaunched = true
                        state.user = user
                    case .signedIn(let name): state.user = name
                    case .signedOut: state.user = nil
                    case .ticked: state.ticks += 1
                    case .failed(let text): state.failures.append(text)
                    }
                },
                middleware: [persistence.middleware],
                environment: Environment(
                    clock: InstantClock(), now: { Timestamp(milliseconds: 0) }),
                deliver: { continuation.yield($0) })
            store = made
            return made
        }

        func launch() { made().start([persistence.load()]) }

        func dispatch(_ action: Action) { made().dispatch(action) }

        /// Takes reports until no effect runs.
        func settle() async -> State {
            var iterator = deliveries.makeAsyncIterator()
            let store = made()
            while !store.isIdle {
                guard let delivery = await iterator.next(isolation: self) else { break }
                store.receive(delivery)
            }
            return store.state
        }
    }

    /// Values that a test looks at, and that cannot be reached for the first few calls.
    private final class Disk: Sendable {
        private struct Content {
            var values: [String: String]
            var failures: Int
            var calls: [String] = []
        }

        private struct Full: Error, CustomStringConvertible {
            var description: String { "full" }
        }

        private let disk: Mutex<Content>

        init(_ values: [String: String] = [:], failures: Int = 0) {
            disk = Mutex(Content(values: values, failures: failures))
        }

        var content: [String: String] { disk.withLock { $0.values } }
        var calls: [String] { disk.withLock { $0.calls } }

        var values: SavedValues<String> {
            SavedValues(
                load: { key in try self.call("load \(key)") { $0[key] } },
                save: { value, key in
                    try self.call("save \(value) under \(key)") { $0[key] = value }
                },
                delete: { key in try self.call("delete \(key)") { $0[key] = nil } })
        }

        private func call<Result: Sendable>(
            _ name: String, _ work: @Sendable (inout [String: String]) -> Result
        ) throws -> Result {
            try disk.withLock { disk in
                guard disk.failures == 0 else {
                    disk.failures -= 1
                    throw Full()
                }
                disk.calls.append(name)
                return work(&disk.values)
            }
        }
    }

    /// Sleeps for no time.
    private struct InstantClock: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
        }
    }
}
