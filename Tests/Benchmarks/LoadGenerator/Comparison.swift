import Foundation

/// The reports of several servers at the same workloads.
struct Comparison {
    let servers: [String]
    let workloads: [Workload]
    /// The reports of each repetition, by workload and server.
    private var reports: [String: [String: [LoadReport]]] = [:]

    init(servers: [String], workloads: [Workload]) {
        self.servers = servers
        self.workloads = workloads
    }

    mutating func add(_ report: LoadReport, of server: String, _ workload: Workload) {
        reports[workload.name, default: [:]][server, default: []].append(report)
    }

    /// The median of a figure; nil where a server has none.
    func median(_ figure: Workload.Figure, _ workload: Workload, _ server: String) -> Double? {
        let values = (reports[workload.name]?[server] ?? []).compactMap(figure.value).sorted()
        guard !values.isEmpty else { return nil }
        let middle = values.count / 2
        return values.count.isMultiple(of: 2)
            ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    }

    /// A Markdown table: a row for each figure, a column for each server.
    func table() -> String {
        var lines = ["| workload | " + servers.joined(separator: " | ") + " |"]
        lines.append("|---|" + servers.map { _ in "---|" }.joined())
        for workload in workloads {
            for figure in workload.figures {
                let cells = servers.map { cell(figure, workload, $0) }.joined(separator: " | ")
                lines.append("| \(workload.name): \(figure.name) | \(cells) |")
            }
            lines += losses(workload)
        }
        return lines.joined(separator: "\n")
    }

    private func cell(_ figure: Workload.Figure, _ workload: Workload, _ server: String) -> String {
        guard let value = median(figure, workload, server) else { return "–" }
        let text = String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
        guard figure.hasRatio, server != servers[0],
            let least = median(figure, workload, servers[0]), least > 0
        else { return text }
        return text + String(format: " (×%.2f)", value / least)
    }

    /// A row only where a server failed posts or doubled events.
    private func losses(_ workload: Workload) -> [String] {
        servers.compactMap { server in
            let all = reports[workload.name]?[server] ?? []
            let failed = all.reduce(0) { $0 + $1.failedPosts }
            let doubled = all.reduce(0) { $0 + $1.doubledEvents }
            guard failed + doubled > 0 else { return nil }
            return
                "| \(workload.name): \(server) failed \(failed) posts, doubled \(doubled) events |"
        }
    }

    func json() throws -> String {
        struct Row: Encodable {
            var workload: String
            var server: String
            var reports: [LoadReport]
        }
        let rows = workloads.flatMap { workload in
            servers.map {
                Row(workload: workload.name, server: $0, reports: reports[workload.name]?[$0] ?? [])
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    /// The workloads of the project's figures.
    static let workloads: [Workload] = [
        Workload(
            name: "post, 16 connections",
            plan: LoadPlan(name: "post", sessions: 16, watchersPerSession: 0, posters: 16),
            figures: [.cpuPerPost, .mostPosts]),
        Workload(
            name: "post, 1 connection",
            plan: LoadPlan(name: "post", sessions: 1, watchersPerSession: 0, posters: 1),
            figures: [.halfOfPosts, .mostPosts]),
        Workload(
            name: "fan-out, 1 × 1,000",
            plan: LoadPlan(name: "fan-out", sessions: 1, watchersPerSession: 1_000, posters: 1),
            figures: [.cpuPerEvent]),
        Workload(
            name: "fan-out, 1 × 5,000, 4 posts/s",
            plan: LoadPlan(
                name: "fan-out", sessions: 1, watchersPerSession: 5_000, posters: 1, rate: 4),
            figures: [.eventDelay]),
        Workload(
            name: "mix, 1,000 × 1",
            plan: LoadPlan(name: "mix", sessions: 1_000, watchersPerSession: 1, posters: 16),
            figures: [.cpuPerPost]),
        Workload(
            name: "mix, 1,000 × 1, 1,000 posts/s",
            plan: LoadPlan(
                name: "mix", sessions: 1_000, watchersPerSession: 1, posters: 16, rate: 1_000),
            figures: [.cpuPerPost, .eventDelay]),
        Workload(
            name: "pace, 1,000 × 1 among 20,000, 1,000 posts/s",
            plan: LoadPlan(
                name: "mix", sessions: 1_000, watchersPerSession: 1, posters: 16, rate: 1_000,
                others: 20_000),
            figures: [.cpuPerPost, .eventDelay]),
        Workload(
            name: "rest, 20,000 sessions",
            plan: LoadPlan(
                name: "rest", sessions: 0, watchersPerSession: 0, posters: 0, others: 20_000),
            figures: [.bytesMade, .bytesUsed, .cpuAtRest]),
        Workload(
            name: "idle, 10,000 streams",
            plan: LoadPlan(name: "idle", sessions: 1, watchersPerSession: 10_000, posters: 0),
            figures: [.memoryPerStream]),
        Workload(
            name: "keep, 64 connections × 1,000 sessions",
            plan: LoadPlan(name: "keep", sessions: 1_000, watchersPerSession: 0, posters: 64),
            figures: [
                .init(name: "posts/s") { $0.postsPerSecond }, .cpuPerPost, .halfOfPosts, .mostPosts,
            ], isOptional: true),
        Workload(
            name: "keep, 1 connection",
            plan: LoadPlan(name: "keep", sessions: 1, watchersPerSession: 0, posters: 1),
            figures: [.halfOfPosts, .mostPosts, .cpuPerPost], isOptional: true),
    ]
}
