import Redux
import Statecast
import Testing

/// An application on a bare store, whose effects' reports are taken one by one, as a test wants.
final class ApplicationRun<App: Application> {
    typealias Delivery = EffectDelivery<App.Input>

    let store: Store<App.State, App.Input>
    private var reports: AsyncStream<Delivery>.Iterator

    init(_ application: App, session: SessionID, state: App.State? = nil) {
        let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self)
        reports = stream.makeAsyncIterator()
        store = Store(
            initial: state ?? application.initialState,
            reducer: Reducer { (state, input) throws(Rejection) in
                switch input {
                case .action(let action): try application.reduce(&state, action: action)
                case .fact(let fact): try application.reduce(&state, fact: fact)
                }
            },
            middleware: application.middleware(for: session) + [
                Middleware("effects", react: { application.effects(after: $0, in: session) })
            ],
            environment: Environment(clock: ImmediateClock(), now: { Timestamp(milliseconds: 0) }),
            deliver: { continuation.yield($0) })
        store.start(application.effects(starting: store.state, in: session))
    }

    var state: App.State { store.state }

    /// Dispatches what a client sends; whether it was accepted and changed something.
    @discardableResult
    func send(_ action: App.Action) -> Bool {
        if case .accepted(_, _, let changed) = store.dispatch(.action(action)) { return changed }
        return false
    }

    /// The next report of an effect; the store has not taken it.
    func nextReport() async -> Delivery? {
        await reports.next(isolation: #isolation)
    }

    /// Gives the next report to the store.
    func receive() async {
        if let report = await nextReport() { store.receive(report) }
    }

    /// Gives reports to the store until its state is as wanted.
    func receive(until condition: (App.State) -> Bool) async {
        while !condition(state), let report = await nextReport() { store.receive(report) }
    }

    /// Gives reports to the store until one of an action or a fact as wanted was among them,
    /// whether or not the store took it.
    func receiveReport(where isWanted: (App.Input) -> Bool) async {
        while let report = await nextReport() {
            store.receive(report)
            if case .action(let input) = report.report, isWanted(input) { return }
        }
    }

    /// Gives reports to the store until one says that an effect is over.
    func receiveEnd() async {
        while let report = await nextReport() {
            store.receive(report)
            if case .action = report.report { continue }
            return
        }
    }
}

/// A clock on which every wait is over at once.
struct ImmediateClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}

/// Calls that wait until they are let through, whether or not their task was cancelled.
actor Doors {
    private var waiting: [String: CheckedContinuation<Void, Never>] = [:]
    private var watchers: [String: CheckedContinuation<Void, Never>] = [:]
    private(set) var count = 0

    /// Waits at a door until it is opened.
    func wait(at name: String) async {
        count += 1
        await withCheckedContinuation { continuation in
            waiting[name] = continuation
            watchers.removeValue(forKey: name)?.resume()
        }
    }

    /// Waits until somebody waits at a door.
    func arrival(at name: String) async {
        guard waiting[name] == nil else { return }
        await withCheckedContinuation { watchers[name] = $0 }
    }

    /// Lets through who waits at a door.
    func open(_ name: String) {
        waiting.removeValue(forKey: name)?.resume()
    }
}
