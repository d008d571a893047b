import Accounting

/// Bounds the size of a state by what is taken in, not by its readers: a state that nobody reads is
/// not encoded, so its size is unknown between two measurements.
///
/// The meter adds up what a session takes in; once that is an eighth of what the state may still grow by,
/// the state is measured. A measurement so costs a fraction of what led to it. One that leads to a
/// refusal is paid by nobody: so large states are then left alone for a while, for longer each time.
struct StateMeter: Sendable, Hashable {
    /// Entries that a session takes in.
    struct Intake: Sendable, Hashable {
        /// The weight that decides when the state is measured. A small action can make a state grow
        /// as well, and a report of an effect nobody has encoded.
        let weight: Int
        /// The bytes that they are likely to add.
        let byteCount: Int

        init(entryCount: Int, byteCount: Int, isReported: Bool) {
            weight = max(byteCount, entryCount * (isReported ? 16 * 1024 : 1024))
            self.byteCount = max(byteCount, isReported ? entryCount * 4096 : 0)
        }
    }

    /// Less than this is never a reason to measure, or a 64th of a larger limit.
    private static let leastThreshold = 64 * 1024
    /// A smaller state is measured at any time.
    private static let smallByteCount = 1024 * 1024

    /// The size at the last measurement.
    private(set) var byteCount = 0
    /// The bytes that were taken in since, about.
    private(set) var takenByteCount = 0
    private var weight = 0
    /// The number of measurements in a row that have led to a refusal, and the end of the pause.
    private var refusalCount = 0
    private var pauseEnd = Instant(nanoseconds: 0)

    /// Adds what is about to be taken in.
    mutating func add(_ intake: Intake) {
        weight += intake.weight
        takenByteCount += intake.byteCount
    }

    /// Takes back what was added, and was then refused.
    mutating func leaveOut(_ intake: Intake) {
        weight -= intake.weight
        takenByteCount -= intake.byteCount
    }

    /// The state has to be measured: once enough was taken in, and always while the last
    /// measurement was above the limit.
    func isDue(limit: Int) -> Bool {
        guard byteCount <= limit else { return true }
        let least = min(max(Self.leastThreshold, limit / 64), limit / 8)
        return weight >= max((limit - byteCount) / 8, least)
    }

    /// The state has so many bytes.
    mutating func measured(_ byteCount: Int) {
        precondition(byteCount >= 0, "A state has some bytes.")
        self = StateMeter()
        self.byteCount = byteCount
    }

    /// With what was added last the state would have so many bytes, which are too many.
    mutating func refused(
        _ intake: Intake, _ byteCount: Int, since start: Instant, at now: Instant
    ) {
        leaveOut(intake)
        guard byteCount >= Self.smallByteCount else { return }
        let factor = Int64(8) << Int64(min(refusalCount, 6))
        refusalCount += 1
        pauseEnd = now.advanced(byNanoseconds: factor * (now.nanoseconds - start.nanoseconds))
    }

    /// The seconds for which the state is not measured; nil where it may be measured now.
    func pause(at now: Instant) -> Int? {
        guard now < pauseEnd else { return nil }
        return Int((pauseEnd.nanoseconds - now.nanoseconds) / 1_000_000_000) + 1
    }
}
