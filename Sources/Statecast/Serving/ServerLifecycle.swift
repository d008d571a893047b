import Journaling
import Redux
import Sessions
import Sockets
import Synchronization

/// The board on which the loops of one server tell each other readiness and counters.
final class ServerLifecycle: Sendable {
    /// Requests are welcome.
    let isReady = Atomic<Bool>(false)
    /// All sessions are given to other servers.
    let isDraining = Atomic<Bool>(false)
    /// There are other servers, and none is reached.
    let isAlone = Atomic<Bool>(false)
    /// The server listens on an address that this machine alone reaches.
    let isLoopback = Atomic<Bool>(false)
    /// What each loop has told last: its counters, and those of actions, `ActionCounts.cells`, by the
    /// names of the applications.
    private let loops: Lock<[(metrics: LoopMetrics, actions: [String: [Int]])]>
    /// The types of each application's actions, by their numbers.
    private let actionTypes: [String: [String]]
    private let mountNames: [String]
    let roles = RoleLabels()

    private let journal: any Journal
    let budget: MemoryBudget
    private let routeNames: [String]
    private let hasPeers: Bool

    init(
        _ configuration: ServerConfiguration, _ table: RouteTable,
        _ mounts: [any MountedApplication]
    ) {
        let loopCount = configuration.loopCount
        precondition(loopCount >= 1, "A server has at least one loop.")
        budget = MemoryBudget(configuration.limits, loopCount: loopCount)
        journal = configuration.journal
        routeNames = table.names
        hasPeers = configuration.cluster != nil
        precondition(configuration.routeLimits.runningCount >= 1, "One handler at least may run.")
        mountNames = mounts.map(\.name)
        actionTypes = Dictionary(uniqueKeysWithValues: mounts.map { ($0.name, $0.actionTypes) })
        loops = Lock(Array(repeating: (LoopMetrics(table), [:]), count: loopCount))
    }

    /// Takes over what one loop has counted.
    func update(_ loop: Int, _ metrics: LoopMetrics, _ actions: [String: [Int]]) {
        loops.withLock { loops in
            precondition(loops.indices.contains(loop), "Only the loops of this server count.")
            loops[loop] = (metrics, actions)
        }
    }

    /// The requests that were sent to other servers, and the sessions of these that are followed.
    var relayed: (count: Int, followed: Int) {
        loops.withLock { loops in
            loops.reduce(into: (0, 0)) { sum, loop in
                sum.0 += loop.metrics.relays
                sum.1 += loop.metrics.followers
            }
        }
    }

    // MARK: Metrics

    /// All counters in the OpenMetrics text format.
    var metricsText: String {
        let loops = loops.withLock { $0 }
        let (metrics, journal) = (loops.map(\.metrics), journal.status)
        let rows = LoopMetrics.rows + (hasPeers ? LoopMetrics.relayRows : [])
        var all = rows.map { row in
            Metric(row.name, row.kind, row.help, metrics.reduce(0) { $0 + row.count($1) })
        }
        all += [
            Metric(
                "statecast_memory_used_bytes", .gauge, "Memory that clients hold, roughly.",
                budget.used),
            Metric(
                "statecast_memory_limit_bytes", .gauge, "Memory that clients may hold.",
                budget.limit),
            Metric(
                "statecast_journal_available", .gauge, "The journal takes entries.",
                journal.isAvailable ? 1 : 0),
            Metric(
                "statecast_journal_commit_seconds", "Transactions of the journal.",
                count: journal.commitCount, sum: journal.commitDuration),
        ]
        if hasPeers {
            let count = self.journal.servers.count { !$0.isDraining }
            let help = "Servers that share the journal, and stay."
            all.append(Metric("statecast_servers", .gauge, help, count))
        }
        if !mountNames.isEmpty {
            all += stateMetrics(metrics) + [actionMetric(loops.map(\.actions))]
        }
        if !routeNames.isEmpty { all += routeMetrics(metrics) }
        return all.map(\.text).joined() + "# EOF\n"
    }

    private func stateMetrics(_ loops: [LoopMetrics]) -> [Metric] {
        func rows(_ value: ([StateSizes.Figures]) -> Int) -> [Metric.Row] {
            mountNames.enumerated().map { place, name in
                let states = loops.flatMap { $0.states.dropFirst(place).prefix(1) }
                return ([("application", name.isEmpty ? "/" : name)], value(states))
            }
        }
        return [
            Metric(
                "statecast_state_largest_bytes", .gauge,
                "The largest state in memory, as JSON, as it was measured last.",
                rows { $0.map(\.largest).max() ?? 0 }),
            Metric(
                "statecast_state_mean_bytes", .gauge, "The mean of these states.",
                rows { $0.reduce(0) { $0 + $1.sum } / max(1, $0.reduce(0) { $0 + $1.count }) }),
        ]
    }

    private func routeMetrics(_ loops: [LoopMetrics]) -> [Metric] {
        func rows(_ count: (LoopMetrics.RouteCounts) -> Int) -> [Metric.Row] {
            routeNames.enumerated().map { number, name in
                ([("route", name)], loops.reduce(0) { $0 + count($1.routes[number]) })
            }
        }
        return [
            Metric(
                "statecast_route_requests", .counter, "Requests to a route of the application.",
                rows(\.requests)),
            Metric(
                "statecast_route_failures", .counter, "Of these, answered by 500.",
                rows(\.failures)),
            Metric(
                "statecast_routes_running", .gauge, "Handlers of routes that run.",
                budget.withAccounts { $0.total(.routes) }),
        ]
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
}

/// The counters of one loop.
struct LoopMetrics: Sendable {
    /// Of one of the application's own routes.
    typealias RouteCounts = (requests: Int, failures: Int)

    var requests = 0
    var submissions = 0
    var rejections = 0
    var events = 0
    var joinedEvents = 0
    var batchedSends = 0
    var batchedReceives = 0
    var slowTurns = 0
    var sessions = 0
    var watchers = 0
    /// Requests that were sent to other servers, and of these, not answered there.
    var relays = 0
    var failedRelays = 0
    /// The streams and polls of other servers that are passed on.
    var relayedStreams = 0
    /// The sessions of other servers whose watchers are served here.
    var followers = 0
    /// Sessions that were given to other servers, or to nobody as this one goes.
    var handedOver = 0
    /// The states of each application, in their order, as they were measured last.
    var states: [StateSizes.Figures] = []
    /// By the numbers of the routes.
    var routes: [RouteCounts]

    init(_ table: RouteTable) { routes = table.names.map { _ in (0, 0) } }

    typealias Row = (
        name: String, kind: Metric.Kind, help: String, count: @Sendable (LoopMetrics) -> Int
    )

    static let rows: [Row] = [
        ("statecast_requests", .counter, "Requests handed to a resource.", { $0.requests }),
        (
            "statecast_submissions", .counter,
            "Bodies of actions, and dispatches of handles, that were decided.", { $0.submissions }
        ),
        ("statecast_rejections", .counter, "Of these, refused.", { $0.rejections }),
        (
            "statecast_events", .counter,
            "Changes for watchers, some of which may be too slow for one.", { $0.events }
        ),
        (
            "statecast_joined_events", .counter,
            "Of these, joined with a later one for a watcher that is slow or throttled.",
            { $0.joinedEvents }
        ),
        (
            "statecast_batched_sends", .counter, "Sends made by io_uring, many at once.",
            { $0.batchedSends }
        ),
        (
            "statecast_batched_receives", .counter, "Receives made by io_uring, many at once.",
            { $0.batchedReceives }
        ),
        (
            "statecast_slow_turns", .counter, "Turns of a loop that took too long.",
            { $0.slowTurns }
        ),
        ("statecast_sessions", .gauge, "Sessions in memory.", { $0.sessions }),
        ("statecast_watchers", .gauge, "Open streams.", { $0.watchers }),
    ]

    /// Those of a server that has others.
    static let relayRows: [Row] = [
        ("statecast_relays", .counter, "Requests sent to other servers.", { $0.relays }),
        (
            "statecast_failed_relays", .counter, "Of these, not answered there.",
            { $0.failedRelays }
        ),
        (
            "statecast_relayed_streams", .gauge,
            "Streams and polls of other servers that are passed on.",
            { $0.relayedStreams }
        ),
        (
            "statecast_followers", .gauge,
            "Sessions of other servers whose watchers are served here.", { $0.followers }
        ),
        (
            "statecast_handed_over", .counter, "Sessions given away to other servers.",
            { $0.handedOver }
        ),
    ]
}
