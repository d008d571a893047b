import StatecastTesting
import Testing

extension TestServer {
    /// Waits until the server has looked through its sessions and ended all that were made before,
    /// but for this one: it is watched meanwhile, and so one with a stream is what is counted.
    func awaitSweep(besides session: String) async throws {
        try create(session)
        let stream = try events(session)
        _ = try #require(try stream.next())
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            let lines = try send("GET", "/metrics").body.split(separator: "\n")
            if lines.contains("statecast_sessions 1"), lines.contains("statecast_watchers 1") {
                return
            }
            await advance(by: .milliseconds(500))
        }
        Issue.record("a session other than \(session) never ends")
    }
}
