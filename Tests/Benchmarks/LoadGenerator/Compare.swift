import ArgumentParser

/// Measures several servers in turn, in one run, so that what else the machine does falls on all.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures several servers side by side and prints a table of medians.",
        discussion: """
            Every measurement starts its server anew. The repetitions are the outer loop and the \
            servers the inner one, so that neighbouring figures are of the same minute. All \
            figures but the first server's are followed by their ratio to the first one's.

            A server takes PUT SESSION, POST SESSION/actions and GET SESSION/events under the \
            mount; its state is about 1 KB of JSON.
            """)
    @Argument(
        help: """
            NAME=COMMAND; {PORT} in the command stands for the port. The command replaces its \
            shell, so that its process is the server.
            """)
    var servers: [PeerCommand]
    @Option(help: "How often each is measured; the median counts.") var repetitions = 3
    @Option(help: "Seconds of each measurement.") var seconds = 3.0
    @Option(help: "Seconds that sessions rest after an action, before they are weighed.")
    var rest = 60.0
    @Option(help: "Where the application is mounted.") var mount = "/benchmark"
    @Option(help: "Which workloads, as their names in the table begin; all without it.")
    var only: [String] = []
    @Flag(help: "Print one JSON array instead of a table.") var json = false

    func validate() throws {
        guard (1...99).contains(repetitions) else {
            throw ValidationError("--repetitions is 1 to 99.")
        }
        guard seconds > 0, seconds <= 60, rest >= 0, rest <= 600 else {
            throw ValidationError("--seconds is more than 0 and at most 60, --rest 0 to 600.")
        }
    }

    func run() async throws {
        let workloads = Comparison.workloads.filter { workload in
            only.isEmpty ? !workload.isOptional : only.contains { workload.name.hasPrefix($0) }
        }
        var comparison = Comparison(servers: servers.map(\.name), workloads: workloads)
        for repetition in 1...repetitions {
            for workload in workloads {
                for server in servers {
                    printToStandardError(
                        "\(repetition)/\(repetitions) \(workload.name): \(server.name)")
                    comparison.add(try await measure(workload, server), of: server.name, workload)
                }
            }
        }
        print(json ? try comparison.json() : comparison.table())
    }

    private func measure(_ workload: Workload, _ server: PeerCommand) async throws -> LoadReport {
        let process = try await PeerProcess.start(server)
        defer { process.stop() }
        let options = try ServerOptions.parse([
            "--port", "\(process.port)", "--pid", "\(process.pid)", "--mount", mount,
            "--seconds", "\(seconds)",
        ])
        if workload.plan.isAtRest {
            return try await LoadRun.measureRest(workload.plan, options, resting: rest)
        }
        return try await LoadRun.measure(workload.plan, options)
    }
}

/// A server's name in the table, and the shell command that starts it.
struct PeerCommand: ExpressibleByArgument, Sendable {
    var name: String
    var command: String

    init?(argument: String) {
        let sides = argument.split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else { return nil }
        name = String(sides[0])
        command = String(sides[1])
    }
}
