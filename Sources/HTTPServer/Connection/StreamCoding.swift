internal import Gzip
internal import Sockets
internal import Synchronization

/// The content coding of one stream: a compressor, and the frames that wait for it.
///
/// Frames wait as they are, shared with other streams, until the socket has room for them; what
/// is compressed then ends with a sync flush, so that the client can show it at once.
final class StreamCoding {
    let source: any StreamSource
    private let tally: CompressionTally
    private let storedByteCount: Int
    private var compressor = GzipCompressor(settings: .stream)
    private var pending: [StreamFrame] = []
    /// The count of bytes that wait, before compression.
    private(set) var pendingByteCount = 0

    /// A coding that was counted by `tally.enter`; its end is counted, too. Frames above
    /// `storedByteCount` are not compressed, only wrapped.
    init(source: any StreamSource, tally: CompressionTally, storedByteCount: Int) {
        self.source = source
        self.tally = tally
        self.storedByteCount = storedByteCount
    }

    deinit { tally.leave() }

    /// The bytes of memory that the stream takes besides its queue: a compressor is 27 KiB.
    var byteCount: Int { pendingByteCount + 27 * 1024 }

    /// Adds a frame to what is compressed next.
    func add(_ frame: StreamFrame) {
        pending.append(frame)
        pendingByteCount += frame.count
    }

    /// Appends all that waits, compressed; `isLast` ends the gzip member with its checksum.
    func encode(isLast: Bool = false, into output: inout [UInt8]) {
        for (index, frame) in pending.enumerated() {
            let isLastFrame = index == pending.count - 1 && !isLast
            let isStored = frame.count > storedByteCount
            compressor.compress(
                frame.chunk.bytes.span.extracting(frame.payloadRange), into: &output,
                flush: isLastFrame ? .sync : .none,
                isStored: isStored)
        }
        pending = []
        pendingByteCount = 0
        if isLast { compressor.finish(into: &output) }
    }

    /// Queues all that waits, compressed, and the end of the body where it is the last.
    func encode(isLast: Bool, inChunks: Bool, to queue: inout WriteQueue) {
        var coded: [UInt8] = []
        encode(isLast: isLast, into: &coded)
        if !coded.isEmpty { queue.append(inChunks ? StreamFrame(coded).chunk : SharedBytes(coded)) }
    }
}

/// Counts the compressed streams that are open; shared by the loops.
final class CompressionTally: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var total: Int {
        count.load(ordering: .relaxed)
    }

    /// Counts one more stream; false, and counts none, where there are as many as allowed.
    func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
        leave()
        return false
    }

    /// A stream has ended.
    func leave() {
        let count = count.subtract(1, ordering: .relaxed).newValue
        precondition(count >= 0, "A stream that ends was counted.")
    }
}
