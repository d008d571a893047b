import Bytes
import StateCoding

/// Bounds the size of a state by what is taken in, not by its readers: a state that nobody reads is
/// not encoded, so its size is unknown between two measurements.
///
/// The meter adds up what a session takes in; once that is an eighth of what the state may still grow by,
/// the state is measured. Small actions count for more than their bytes, as they can make a state grow by
/// more; but a state is not measured for these alone before they count for as much as the state has bytes,
/// or may still have: of one of 6 MB that takes 20 ms, a batch of 1,000 actions five. A measurement so costs
/// a fraction of what led to it. One that leads to a refusal is paid by nobody: so large states are then left
/// alone for a while, for longer each time.
struct StateMeter: Sendable, Hashable {
    /// Less than this is never a reason to measure, or a 64th of a larger limit.
    private static let leastThreshold = 64 * 1024
    /// A smaller state is measured at any time.
    private static let smallByteCount = 1024 * 1024

    /// The size at the last measurement.
    private(set) var byteCount = 0
    /// The bytes that were taken in since, about.
    private(set) var takenByteCount = 0
    /// The same, with what these could have made of it.
    private var weight = 0
    /// The number of measurements in a row that have led to a refusal, and the end of the pause.
    private var refusalCount = 0
    private var pauseEnd = Instant(nanoseconds: 0)

    /// Adds entries that are about to be taken in, of so many bytes. A small action can make a state grow
    /// as well, and a report of an effect nobody has encoded.
    mutating func add(_ byteCount: Int, ofEntries count: Int, isReported: Bool) {
        weight += max(byteCount, count * (isReported ? 16 * 1024 : 1024))
        takenByteCount += max(byteCount, isReported ? count * 4096 : 0)
    }

    /// The state has to be measured: once enough was taken in, and always while the last
    /// measurement was above the limit.
    func isDue(limit: Int) -> Bool {
        guard byteCount <= limit else { return true }
        let least = min(max(Self.leastThreshold, limit / 64), limit / 8)
        let most = max((limit - byteCount) / 8, least)
        return takenByteCount >= most || weight >= max(most, min(byteCount, limit - byteCount))
    }

    /// The state has so many bytes.
    mutating func measured(_ byteCount: Int) {
        precondition(byteCount >= 0, "A state has some bytes.")
        self = StateMeter()
        self.byteCount = byteCount
    }

    /// Judges the size that the state would have with what is to be taken in.
    ///
    /// - Parameter start: the instant at which it began to be measured.
    mutating func judge(
        _ byteCount: Int, limit: Int, since start: Instant, at now: () -> Instant
    ) throws(Refusal) {
        guard byteCount > limit else { return measured(byteCount) }
        if byteCount >= Self.smallByteCount {
            let now = now()
            let factor = Int64(8) << Int64(min(refusalCount, 6))
            refusalCount += 1
            pauseEnd = now.advanced(byNanoseconds: factor * (now.nanoseconds - start.nanoseconds))
        }
        throw .stateTooLarge(limit: limit)
    }

    /// Throws where the state is not measured now.
    func checkPause(at now: Instant) throws(Refusal) {
        guard now < pauseEnd else { return }
        let seconds = Int((pauseEnd.nanoseconds - now.nanoseconds) / 1_000_000_000) + 1
        throw .stateAtLimit(seconds: seconds)
    }

    /// The size of a state, about, which is measured where nobody has.
    mutating func byteCount(of store: any ShowsState) -> Int {
        if byteCount == 0 { self = measuredIfUnknown(store, from: 0) }
        return byteCount + takenByteCount
    }

    /// The size of a state, which is measured unless nothing was taken in since it was.
    mutating func exactByteCount(of store: any ShowsState) -> Int {
        if byteCount == 0 || weight > 0 { self = measuredIfUnknown(store, from: 0) }
        return byteCount
    }

    /// Measures a state that nobody reads and of which much was taken in since the last time.
    func measuredIfUnknown(
        _ store: any ShowsState, from least: Int = Self.leastThreshold
    ) -> StateMeter {
        guard takenByteCount >= least else { return self }
        var next = self
        // Where it cannot be written, the next client that reads the state is told.
        if let byteCount = try? store.stateByteCount() { next.measured(byteCount) }
        return next
    }
}

extension ShowsState {
    /// The bytes of the committed state as JSON, which is encoded for that.
    func stateByteCount() throws(EncodingFailure) -> Int {
        var output: [UInt8] = []
        try encodeState(into: &output)
        return output.count
    }
}
