import ArgumentParser
import Logging
import MockUpstream
import UnixSignals

/// The stand-in for the outside APIs, as a process.
@main
struct MockUpstreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-upstream",
        abstract: "Stands in for the outside APIs of the Episodes and Rides applications.",
        discussion: """
            Episodes: /episodes, /users. Rides: /login, /sign-up, /location, /places, \
            /ride-options, /rides; the known account is rosa@example.com, open-sesame. \
            Tests provoke failures by PUT /mock/failures and count by GET /mock/requests.
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes a free one and logs it.")
    var port = 8081

    @Option(help: "Factor on the delays of 0.5 to 3 s: 1 as they are, 0 none.")
    var delay = 1.0

    @Option(help: "The part of requests that fails with 503, 0 to 1.")
    var failureRate = 0.0

    @Option(help: "What failures are drawn from: the same seed, the same failures.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is 0 to 65535.")
        }
        guard (0...60).contains(delay) else { throw ValidationError("--delay is 0 to 60.") }
        guard (0...1).contains(failureRate) else {
            throw ValidationError("--failure-rate is 0 to 1.")
        }
    }

    func run() async throws {
        var configuration = MockConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.delay = delay
        configuration.failureRate = failureRate
        configuration.seed = seed
        let logger = Logger(label: "mock-upstream")
        let upstream = try MockServer(configuration: configuration, logger: logger)
        let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let port = try upstream.start()
        logger.info(
            "listening",
            metadata: [
                "host": "\(upstream.configuration.host)", "port": "\(port)",
            ])
        for await _ in ends { break }
        await upstream.stop(grace: .seconds(4))
    }
}
