import Journaling
import Sessions
import Sockets

extension Recording {
    /// The times at which its entries are due.
    func schedule(_ mode: ReplayMode, at now: Instant) -> ReplaySchedule {
        ReplaySchedule(
            entries.map { $0.at.milliseconds - header.start.milliseconds }, behind: version, mode,
            at: now)
    }
}
