import Synchronization

/// Counts the requests of all routes, on all loops, and how many handlers run.
final class RouteTally: Sendable {
    /// The answer to a request that wants a handler to run.
    enum Admission {
        /// It counts as running from now on.
        case entered
        /// As many run as may.
        case full
    }

    /// The counters of one route.
    private final class Counter: Sendable {
        let requests = Atomic<Int>(0)
        let failures = Atomic<Int>(0)
    }

    private let limit: Int
    private let names: [String]
    private let counters: [Counter]
    private let running = Atomic<Int>(0)

    /// - Parameter names: those of the routes, `POST /hooks/{name}`, by number.
    init(names: [String], limit: Int) {
        precondition(limit >= 1, "One handler at least may run.")
        self.names = names
        self.limit = limit
        counters = names.map { _ in Counter() }
    }

    /// Counts a request to the route of this number.
    func enter(_ number: Int) -> Admission {
        precondition(counters.indices.contains(number), "A route is counted under its number.")
        counters[number].requests.add(1, ordering: .relaxed)
        guard running.add(1, ordering: .relaxed).newValue <= limit else {
            running.subtract(1, ordering: .relaxed)
            return .full
        }
        return .entered
    }

    /// A handler has ended.
    func leave(_ number: Int, hasFailed: Bool) {
        precondition(counters.indices.contains(number), "A route is counted under its number.")
        running.subtract(1, ordering: .relaxed)
        if hasFailed { counters[number].failures.add(1, ordering: .relaxed) }
    }

    /// The counters in the OpenMetrics text format; nothing where there are no routes.
    var metricsText: String {
        guard !names.isEmpty else { return "" }
        return rows("requests", "Requests to a route of the application.") {
            $0.requests.load(ordering: .relaxed)
        }
            + rows("failures", "Of these, answered by 500.") {
                $0.failures.load(ordering: .relaxed)
            }
                + """
                # TYPE statecast_routes_running gauge
                # HELP statecast_routes_running Handlers of routes that run.
                statecast_routes_running \(running.load(ordering: .relaxed))\n
                """
    }

    /// The rows of one counter, a route each.
    private func rows(_ name: String, _ help: String, _ count: (Counter) -> Int) -> String {
        let metric = "statecast_route_\(name)"
        let lines = zip(names, counters).map { route, counter in
            "\(metric)_total{route=\"\(route)\"} \(count(counter))\n"
        }
        return "# TYPE \(metric) counter\n# HELP \(metric) \(help)\n" + lines.joined()
    }
}
