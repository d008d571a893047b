internal import Gzip
internal import Sockets

/// The content coding of one stream: a compressor, and the frames that wait for it.
///
/// Frames wait as they are, shared with other streams, until the socket has room for them; what
/// is compressed then ends with a sync flush, so that the client can show it at once.
final class StreamCoding {
    let source: any StreamSource
    private let shared: ServerShared
    private var compressor = GzipCompressor(settings: .stream)
    private var pending: [StreamFrame] = []
    /// The count of bytes that wait, before compression.
    private(set) var pendingByteCount = 0

    /// A coding that was counted by `ServerShared.beginCompressing`; its end is counted, too.
    init(source: any StreamSource, in shared: ServerShared) {
        self.source = source
        self.shared = shared
    }

    deinit { shared.endCompressing() }

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
            let isStored = frame.count > shared.limits.compressedFrameByteCount
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
