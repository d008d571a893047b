import Sockets
import Synchronization

/// The board on which the loops of one server tell each other readiness and counters.
final class ServerLifecycle: Sendable {
    private let ready = Atomic<Bool>(false)
    private let loopback = Atomic<Bool>(false)
    private let metrics: Lock<[LoopMetrics]>

    let budget: MemoryBudget
    /// The counters of the application's own routes.
    let routes: RouteTally
    /// The counters of the applications' actions.
    let actions: ActionBoard

    init(
        _ configuration: ServerConfiguration, _ table: RouteTable,
        _ mounts: [any MountedApplication]
    ) {
        let loopCount = configuration.loopCount
        precondition(loopCount >= 1, "A server has at least one loop.")
        budget = MemoryBudget(configuration.limits, loopCount: loopCount)
        routes = RouteTally(names: table.names, limit: configuration.routeLimits.runningCount)
        actions = ActionBoard(mounts, loopCount: loopCount)
        metrics = Lock(Array(repeating: LoopMetrics(), count: loopCount))
    }

    /// Requests are welcome.
    var isReady: Bool {
        get { ready.load(ordering: .relaxed) }
        set { ready.store(newValue, ordering: .relaxed) }
    }

    /// The server listens on an address that this machine alone reaches.
    var isLoopback: Bool {
        get { loopback.load(ordering: .relaxed) }
        set { loopback.store(newValue, ordering: .relaxed) }
    }

    /// Takes over what one loop has counted.
    func update(_ loop: Int, _ counted: LoopMetrics) {
        metrics.withLock { metrics in
            precondition(metrics.indices.contains(loop), "Only the loops of this server count.")
            metrics[loop] = counted
        }
    }

    /// All counters in the OpenMetrics text format.
    var metricsText: String {
        (ownMetrics + actions.metrics + routes.metrics).map(\.text).joined() + "# EOF\n"
    }

    private var ownMetrics: [Metric] {
        let loops = metrics.withLock { $0 }
        func sum(_ counter: KeyPath<LoopMetrics, Int>) -> Int {
            loops.reduce(0) { $0 + $1[keyPath: counter] }
        }
        return [
            Metric(
                "statecast_requests", .counter, "Requests handed to a resource.", sum(\.requests)),
            Metric(
                "statecast_submissions", .counter,
                "Bodies of actions, and dispatches of handles, that were decided.",
                sum(\.submissions)),
            Metric("statecast_rejections", .counter, "Of these, refused.", sum(\.rejections)),
            Metric(
                "statecast_events", .counter,
                "Changes for watchers, some of which may be too slow for one.", sum(\.events)),
            Metric(
                "statecast_batched_sends", .counter, "Sends made by io_uring, many at once.",
                sum(\.batchedSends)),
            Metric(
                "statecast_batched_receives", .counter, "Receives made by io_uring, many at once.",
                sum(\.batchedReceives)),
            Metric(
                "statecast_slow_turns", .counter, "Turns of a loop that took too long.",
                sum(\.slowTurns)),
            Metric("statecast_sessions", .gauge, "Sessions in memory.", sum(\.sessions)),
            Metric("statecast_watchers", .gauge, "Open streams.", sum(\.watchers)),
            Metric(
                "statecast_memory_used_bytes", .gauge, "Memory that clients hold, roughly.",
                budget.used),
            Metric(
                "statecast_memory_limit_bytes", .gauge, "Memory that clients may hold.",
                budget.limit),
        ]
    }
}
