/// Bounds the size of a state by what is taken in, not by who reads it: a state that nobody reads is
/// not encoded, so its size is unknown between two measurements.
///
/// What a session takes in is added up; once that is an eighth of what the state may still grow by,
/// the state is measured. A measurement so costs a fraction of what led to it.
struct StateMeter: Sendable, Hashable {
    /// A posted action counts for this at least: small ones can make a state grow as well.
    static let leastWeight = 1024
    /// A report of an effect counts for this: nobody has encoded it.
    static let reportWeight = 64 * 1024
    /// Less than this is never a reason to measure.
    private static let leastThreshold = 64 * 1024

    /// The size at the last measurement.
    private(set) var byteCount = 0
    /// The weight of what was taken in since.
    private(set) var taken = 0

    /// Adds what is about to be taken in.
    mutating func add(_ weight: Int) {
        taken += weight
    }

    /// The state has to be measured: once enough was taken in, and always while the last
    /// measurement was above the limit.
    func isDue(limit: Int) -> Bool {
        guard byteCount <= limit else { return true }
        return taken >= max((limit - byteCount) / 8, min(Self.leastThreshold, limit / 8))
    }

    /// The state has so many bytes.
    mutating func measured(_ byteCount: Int) {
        self.byteCount = byteCount
        taken = 0
    }
}
