internal import Gzip
internal import Sockets

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

    deinit {
        tally.leave()
    }

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
}
