import Sockets

extension Environment {
    /// The machine's clocks.
    static var live: Environment {
        Environment(now: { Timestamp(milliseconds: Instant.readWallClock()) })
    }
}
