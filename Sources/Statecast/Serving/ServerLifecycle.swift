import Redux
import Sockets
import Synchronization

/// The board on which the loops of one server tell each other readiness and counters.
final class ServerLifecycle: Sendable {
    /// Requests are welcome.
    let isReady = Atomic<Bool>(false)
    /// The server listens on an address that this machine alone reaches.
    let isLoopback = Atomic<Bool>(false)
    /// What each loop has told last: its counters, and those of actions, `ActionCounts.cells`, by the
    /// names of the applications.
    private let loops: Lock<[(metrics: LoopMetrics, actions: [String: [Int]])]>
    /// The types of each application's actions, by their numbers.
    private let actionTypes: [String: [String]]
    private let roles = RoleLabels()

    let budget: MemoryBudget
    /// The counters of the application's own routes.
    let routes: RouteTally

    init(
        _ configuration: ServerConfiguration, _ table: RouteTable,
        _ mounts: [any MountedApplication]
    ) {
        let loopCount = configuration.loopCount
        precondition(loopCount >= 1, "A server has at least one loop.")
        budget = MemoryBudget(configuration.limits, loopCount: loopCount)
        routes = RouteTally(names: table.names, limit: configuration.routeLimits.runningCount)
        actionTypes = Dictionary(uniqueKeysWithValues: mounts.map { ($0.name, $0.actionTypes) })
        loops = Lock(Array(repeating: (LoopMetrics(), [:]), count: loopCount))
    }

    /// The counts of one loop's actions, by the names of the applications.
    func makeCounts() -> [String: ActionCounts] {
        actionTypes.mapValues { ActionCounts(typeCount: $0.count, roles) }
    }

    /// Takes over what one loop has counted.
    func update(_ loop: Int, _ metrics: LoopMetrics, _ actions: [String: ActionCounts]) {
        loops.withLock { loops in
            precondition(loops.indices.contains(loop), "Only the loops of this server count.")
            loops[loop] = (metrics, actions.mapValues(\.cells))
        }
    }

    /// All counters in the OpenMetrics text format.
    var metricsText: String {
        let loops = loops.withLock { $0 }
        let actions = actionTypes.isEmpty ? [] : [actionMetric(loops.map(\.actions))]
        let all = ownMetrics(loops.map(\.metrics)) + actions + routes.metrics
        return all.map(\.text).joined() + "# EOF\n"
    }

    /// The counts of actions that do not stand at zero.
    private func actionMetric(_ loops: [[String: [Int]]]) -> Metric {
        var sums: [[String]: Int] = [:]
        // Asked for after the counts, so that it names all their roles.
        let roles = roles.all
        for (mount, cells) in loops.joined() {
            let types = actionTypes[mount, default: []] + ["unknown"]
            for (cell, count) in cells.enumerated() where count > 0 {
                let (role, type, origin, fate) = ActionCounts.labels(
                    ofCell: cell, typeCount: types.count - 1)
                let labels = [
                    mount.isEmpty ? "/" : mount, types[type], roles[role], origin.rawValue,
                    "\(fate)",
                ]
                sums[labels, default: 0] += count
            }
        }
        let names = ["application", "type", "role", "origin", "outcome"]
        let rows = sums.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { (Array(zip(names, $0.key)), $0.value) }
        return Metric("statecast_actions", .counter, "Actions by what has become of them.", rows)
    }

    private func ownMetrics(_ loops: [LoopMetrics]) -> [Metric] {
        func sum(
            _ name: String, _ kind: Metric.Kind, _ help: String,
            _ counter: (LoopMetrics) -> Int
        ) -> Metric {
            Metric(name, kind, help, loops.map(counter).reduce(0, +))
        }
        return [
            sum("statecast_requests", .counter, "Requests handed to a resource.") { $0.requests },
            sum(
                "statecast_submissions", .counter,
                "Bodies of actions, and dispatches of handles, that were decided."
            ) { $0.submissions },
            sum("statecast_rejections", .counter, "Of these, refused.") { $0.rejections },
            sum(
                "statecast_events", .counter,
                "Changes for watchers, some of which may be too slow for one."
            ) { $0.events },
            sum("statecast_batched_sends", .counter, "Sends made by io_uring, many at once.") {
                $0.batchedSends
            },
            sum("statecast_batched_receives", .counter, "Receives made by io_uring, many at once.")
            { $0.batchedReceives },
            sum("statecast_slow_turns", .counter, "Turns of a loop that took too long.") {
                $0.slowTurns
            },
            sum("statecast_sessions", .gauge, "Sessions in memory.") { $0.sessions },
            sum("statecast_watchers", .gauge, "Open streams.") { $0.watchers },
            Metric(
                "statecast_memory_used_bytes", .gauge, "Memory that clients hold, roughly.",
                budget.used),
            Metric(
                "statecast_memory_limit_bytes", .gauge, "Memory that clients may hold.",
                budget.limit),
        ]
    }
}
