import Foundation

/// The reports of several servers at the same works.
struct Comparison {
    let servers: [String]
    let works: [Work]
    /// The reports of each repetition, by work and server.
    private var reports: [String: [String: [LoadReport]]] = [:]

    init(servers: [String], works: [Work]) {
        self.servers = servers
        self.works = works
    }

    mutating func add(_ report: LoadReport, of server: String, _ work: Work) {
        reports[work.name, default: [:]][server, default: []].append(report)
    }

    /// The median of a figure; nil where a server has none.
    func median(_ figure: Work.Figure, _ work: Work, _ server: String) -> Double? {
        let values = (reports[work.name]?[server] ?? []).compactMap(figure.value).sorted()
        guard !values.isEmpty else { return nil }
        let middle = values.count / 2
        return values.count.isMultiple(of: 2)
            ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    }

    /// A Markdown table: a row for each figure, a column for each server.
    func table() -> String {
        var lines = ["| work | " + servers.joined(separator: " | ") + " |"]
        lines.append("|---|" + servers.map { _ in "---|" }.joined())
        for work in works {
            for figure in work.figures {
                let cells = servers.map { cell(figure, work, $0) }.joined(separator: " | ")
                lines.append("| \(work.name): \(figure.name) | \(cells) |")
            }
            lines += losses(work)
        }
        return lines.joined(separator: "\n")
    }

    private func cell(_ figure: Work.Figure, _ work: Work, _ server: String) -> String {
        guard let value = median(figure, work, server) else { return "–" }
        let text = String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
        guard figure.hasRatio, server != servers[0],
            let least = median(figure, work, servers[0]), least > 0
        else { return text }
        return text + String(format: " (×%.2f)", value / least)
    }

    /// A row only where a server failed posts or doubled events.
    private func losses(_ work: Work) -> [String] {
        servers.compactMap { server in
            let all = reports[work.name]?[server] ?? []
            let failed = all.reduce(0) { $0 + $1.failedPosts }
            let doubled = all.reduce(0) { $0 + $1.doubledEvents }
            guard failed + doubled > 0 else { return nil }
            return "| \(work.name): \(server) failed \(failed) posts, doubled \(doubled) events |"
        }
    }

    func json() throws -> String {
        struct Row: Encodable {
            var work: String
            var server: String
            var reports: [LoadReport]
        }
        let rows = works.flatMap { work in
            servers.map { Row(work: work.name, server: $0, reports: reports[work.name]?[$0] ?? []) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    /// The works of the project's figures.
    static let works: [Work] = [
        Work(
            name: "post, 16 connections",
            plan: LoadPlan(name: "post", sessions: 16, watchersPerSession: 0, posters: 16),
            figures: [.cpuPerPost, .init(name: "p99 µs") { $0.postMicroseconds?.p99 }]),
        Work(
            name: "post, 1 connection",
            plan: LoadPlan(name: "post", sessions: 1, watchersPerSession: 0, posters: 1),
            figures: [
                .init(name: "p50 µs") { $0.postMicroseconds?.p50 },
                .init(name: "p99 µs") { $0.postMicroseconds?.p99 },
            ]),
        Work(
            name: "fan-out, 1 × 1,000",
            plan: LoadPlan(name: "fan-out", sessions: 1, watchersPerSession: 1_000, posters: 1),
            figures: [.cpuPerEvent]),
        Work(
            name: "fan-out, 1 × 5,000, 4 posts/s",
            plan: LoadPlan(
                name: "fan-out", sessions: 1, watchersPerSession: 5_000, posters: 1, rate: 4),
            figures: [.eventDelay]),
        Work(
            name: "mix, 1,000 × 1",
            plan: LoadPlan(name: "mix", sessions: 1_000, watchersPerSession: 1, posters: 16),
            figures: [.cpuPerPost]),
        Work(
            name: "mix, 1,000 × 1, 1,000 posts/s",
            plan: LoadPlan(
                name: "mix", sessions: 1_000, watchersPerSession: 1, posters: 16, rate: 1_000),
            figures: [.eventDelay]),
        Work(
            name: "idle, 10,000 streams",
            plan: LoadPlan(name: "idle", sessions: 1, watchersPerSession: 10_000, posters: 0),
            figures: [.memoryPerStream]),
    ]
}
