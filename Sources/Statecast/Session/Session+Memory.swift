import Sockets

extension Session {
    /// An empty session takes about so much.
    private static let leastByteCount = 1024
    /// A state is measured where memory is short and so much was taken in since the last time.
    private static let unmeasuredByteCount = 64 * 1024
    /// The JSON of a state that nobody watches is kept for so long after the last request.
    private static let cacheDuration = Duration.seconds(60)

    /// Counts what the session holds now into the memory budget; nothing once it has ended.
    func countMemory(_ context: SessionContext) {
        let held = isEnded ? 0 : heldByteCount
        context.budget.add(.sessions, of: context.loopIndex, held - countedByteCount)
        countedByteCount = held
    }

    /// The memory that the session holds, roughly: a state takes about what its JSON does. Large JSON
    /// is counted by itself.
    private var heldByteCount: Int {
        var sum = Self.leastByteCount + meter.byteCount + meter.takenByteCount
        sum += idempotency.byteCount + (projections.whole.json?.uncountedByteCount ?? 0)
        for projection in projections.kept { sum += projection.json?.uncountedByteCount ?? 0 }
        return sum
    }

    /// Nothing may be added to the session: it is not small, and far more is held than may be.
    func isTooLarge(_ context: SessionContext) -> Bool {
        countedByteCount > Self.smallByteCount && context.budget.scarcity == .farExceeded
    }

    /// A session up to this size goes on although memory is far too short.
    private static let smallByteCount = 16 * 1024

    /// Lets go of the JSON that can be made again: after a while without requests, or at once where
    /// memory is short.
    func dropCaches(_ context: SessionContext, isTight: Bool, on loop: isolated EventLoop) {
        let isOld = loop.now >= lastUse.advanced(by: Self.cacheDuration)
        if watcherCount == 0, isTight || isOld { projections.whole.dropContent() }
        if isTight { encodingMemory = nil }
    }

    /// Measures the state where its size is only guessed by what was taken in.
    func measureIfUnknown() {
        guard meter.takenByteCount >= Self.unmeasuredByteCount else { return }
        var output: [UInt8] = []
        do throws(EncodingFailure) {
            try store.encodeState(into: &output, reusing: nil)
            meter.measured(output.count)
        } catch {
            // Whoever reads the state next is told.
        }
    }
}
