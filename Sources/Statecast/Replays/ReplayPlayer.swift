import HTTPServer
import Redux
import Sessions
import Sockets
import StateCoding

/// Plays a recording into the session that was made for it, on the session's loop.
final class ReplayPlayer: TimerHandler {
    /// A loop does other things so many times as long as it has played: a large state, whose every
    /// change takes its time, is shown less often.
    private static let pauseFactor: Int64 = 4

    let session: Session
    private let recording: EntryLog
    private let performer: StepPerformer
    private var schedule: ReplaySchedule
    private var timer = Timer.none

    init(
        _ session: Session, _ recording: EntryLog, _ schedule: ReplaySchedule,
        _ performer: StepPerformer
    ) {
        self.session = session
        self.recording = recording
        self.schedule = schedule
        self.performer = performer
    }

    /// Does as one asks who may inspect: plays in another way, and through a version.
    func obey(_ command: ReplayCommand, on loop: isolated EventLoop) throws(DecodingFailure) {
        let (mode, version) = try command.goal(
            from: max(recording.lastVersion, schedule.due(at: loop.now)), through: schedule.last)
        if let mode { schedule.change(to: mode, at: loop.now) }
        if let version { schedule.move(to: version, at: loop.now) }
        play(on: loop)
    }

    /// Plays the entries that are due, and sees to it that the others will be.
    func play(on loop: isolated EventLoop) {
        loop.cancel(timer)
        guard !session.isEnded else { return }
        let due = schedule.due(at: loop.now)
        var earliest = loop.now
        if due > recording.lastVersion, !session.isPublishing {
            let start = Instant.read()
            recording.play(through: due)
            performer.perform(session, on: loop)
            let cost = Instant.read().nanoseconds - start.nanoseconds
            earliest = earliest.advanced(byNanoseconds: cost * Self.pauseFactor)
        }
        if recording.lastVersion < due {
            timer = loop.schedule(at: earliest, self)
        } else if let next = schedule.instant(after: recording.lastVersion) {
            timer = loop.schedule(at: max(next, earliest), self)
        }
    }

    /// The session has ended.
    func end(on loop: isolated EventLoop) { loop.cancel(timer) }

    func timerFired(_ timer: Timer, on loop: isolated EventLoop) { play(on: loop) }

    /// Writes the place in the recording:
    ///
    ///     {"mode":"4x","version":3,"first":0,"last":120,"at":1520,"duration":600000,"ended":false}
    ///
    /// `at` and `duration` are milliseconds of the recording.
    func write(to writer: inout JSONWriter, at now: Instant) {
        writer.member("mode", schedule.mode.description)
        writer.member("version", recording.lastVersion)
        writer.member("first", schedule.first)
        writer.member("last", schedule.last)
        writer.member("at", Int(schedule.position(at: now)))
        writer.member("duration", Int(schedule.duration))
        writer.member("ended", recording.lastVersion == schedule.last)
    }
}
