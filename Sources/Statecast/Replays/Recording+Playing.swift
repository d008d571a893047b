import Sessions
import Sockets

extension Recording {
    /// Throws where an application cannot play it: it is of another one, or of another version of its
    /// states.
    func check(name: String, schema: Int) throws(ProblemAnswer) {
        let path = name.isEmpty ? "/" : name
        guard application == path else {
            throw Self.foreign(
                "The recording is of \(application.prefix(200)), and not of \(path).")
        }
        guard self.schema == schema else {
            throw Self.foreign(
                "The recording has states of version \(self.schema), and the application has "
                    + "those of version \(schema).")
        }
    }

    static func foreign(_ detail: String) -> ProblemAnswer {
        ProblemAnswer(ReplayRefusal.foreign(detail: detail).problem)
    }

    /// The times at which its entries are due.
    func schedule(_ mode: ReplayMode, at now: Instant) -> ReplaySchedule {
        ReplaySchedule(
            entries.map { $0.at.milliseconds - start.milliseconds }, behind: version, mode, at: now)
    }
}
