internal import Sockets

/// Words the log's lines about slow turns of one loop, one in ten seconds at most.
struct SlowTurnLog {
    private static let pause = Duration.seconds(10)

    private var nextLine = Instant(nanoseconds: .min)
    private var unreportedCount = 0

    /// The line about a turn that ended at `now`; nil where it is only counted.
    mutating func line(about turn: TurnMeter.SlowTurn, ofLoop index: Int, at now: Instant)
        -> String?
    {
        guard now >= nextLine else {
            unreportedCount += 1
            return nil
        }
        defer {
            nextLine = now.advanced(by: Self.pause)
            unreportedCount = 0
        }
        let others =
            unreportedCount > 0 ? " (\(unreportedCount) more since the last such line)" : ""
        return "A turn of loop \(index) took \(Self.milliseconds(turn.duration)); "
            + "\(Self.milliseconds(turn.workDuration)) of it: \(turn.work)\(others)"
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(duration.nanoseconds / 1_000_000) ms"
    }
}
