import Journaling
import Redux
import StateCoding

/// The way of one session's entries into the journal: bounds the state that they make, and counts
/// what it takes.
struct Intake {
    private(set) var lease: Lease
    private var meter = StateMeter()
    /// The reason why the last entries were not appended, if they were not.
    private(set) var refusal: Refusal?

    /// A session whose journal has kept this of it.
    init(_ opened: OpenedSession) {
        lease = opened.lease
        if let document = opened.document { meter.measured(document.json.count) }
    }

    /// The session was opened again.
    mutating func reopened(_ opened: OpenedSession, isReplaced: Bool) {
        lease = opened.lease
        if isReplaced, let document = opened.document { meter.measured(document.json.count) }
    }

    // MARK: Entries

    /// Encodes entries where that is wanted, or where it is time to measure the state behind them.
    /// Where that throws, `refusal` says why.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes of the request that they come from.
    ///   - isWanted: a journal or a log keeps them.
    ///   - store: has the state that entries which change nothing leave as it was.
    mutating func encode(
        _ batch: StagedBatch, _ byteCount: Int, isWanted: Bool, of store: any SessionStore,
        _ context: SessionContext,
        _ encode: () throws(EncodingFailure) -> EncodedBatch
    ) throws(EncodingFailure) -> EncodedBatch? {
        refusal = nil
        let amount = StateMeter.Intake(
            entryCount: batch.count, byteCount: byteCount, isReported: batch.isCaused)
        meter.add(amount)
        let isDue = meter.isDue(limit: context.limits.stateByteCount)
        guard isWanted || isDue else { return nil }
        var encoded: EncodedBatch?
        do throws(EncodingFailure) {
            try measure(amount, context) { () throws(EncodingFailure) in
                let batch = try encode()
                encoded = batch
                if let form = batch.change?.form { return form.byteCount }
                return isDue ? try Self.byteCount(of: store) : nil
            }
        } catch {
            if refusal == nil { refusal = .notEncodable(error) }
            throw error
        }
        return encoded
    }

    /// Memory is too short for entries of this session.
    mutating func refuseForMemory() { refusal = .shortOfMemory }

    /// The journal has answered at once, or will.
    mutating func appended(_ outcome: AppendOutcome?) { refusal = outcome.flatMap { Refusal($0) } }

    // MARK: The size of the state

    /// The bytes that the state takes, as far as that is known.
    var byteCount: Int { meter.byteCount + meter.takenByteCount }

    /// The size of a state, judged by its limit.
    enum Size {
        /// It is not far above it.
        case bounded
        /// It has grown far beyond its limit although entries are measured as they come: its
        /// application does not bound it.
        case farAbove
    }

    /// The state has so many bytes.
    mutating func measured(_ byteCount: Int, limit: Int) -> Size {
        guard byteCount != meter.byteCount else { return .bounded }
        meter.measured(byteCount)
        return byteCount > limit + limit / 8 ? .farAbove : .bounded
    }

    /// A state is measured where memory is short and so much was taken in since the last time.
    private static let unknownByteCount = 64 * 1024

    /// Measures the state where its size is only guessed by what was taken in.
    mutating func measureIfUnknown(_ store: any SessionStore) {
        guard meter.takenByteCount >= Self.unknownByteCount else { return }
        do throws(EncodingFailure) {
            meter.measured(try Self.byteCount(of: store))
        } catch {
            // The next client that reads the state is told.
        }
    }

    private static func byteCount(of store: any SessionStore) throws(EncodingFailure) -> Int {
        var output: [UInt8] = []
        try store.encodeState(into: &output, reusing: nil)
        return output.count
    }

    /// Measures the state behind entries. Where it is too large, only these are refused; at its limit,
    /// where many are refused, it is not measured each time.
    ///
    /// - Parameter encode: writes the state, and tells its size; nil where it has not changed.
    private mutating func measure(
        _ amount: StateMeter.Intake, _ context: SessionContext,
        _ encode: () throws(EncodingFailure) -> Int?
    ) throws(EncodingFailure) {
        let start = context.readClock()
        if let seconds = meter.pause(at: start) {
            meter.leaveOut(amount)
            refusal = .stateAtLimit(seconds: seconds)
            throw Self.tooLarge
        }
        guard let byteCount = try encode() else { return }
        let limit = context.limits.stateByteCount
        guard byteCount <= limit else {
            meter.refused(amount, byteCount, since: start, at: context.readClock())
            refusal = .stateTooLarge(limit: limit)
            throw Self.tooLarge
        }
        meter.measured(byteCount)
    }

    private static let tooLarge = EncodingFailure(
        reason: .refused, pointer: JSONPointer(), detail: "The state is too large.")
}
