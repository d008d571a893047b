internal import Bytes
internal import Gzip
internal import Sockets
internal import Synchronization

/// How many compressed streams are open; shared by the loops.
final class CompressionTally: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// How many there are.
    var total: Int {
        count.load(ordering: .relaxed)
    }

    /// Counts one more; false, and not counted, above the limit.
    func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
        leave()
        return false
    }

    /// One has ended.
    func leave() {
        count.subtract(1, ordering: .relaxed)
    }
}

/// The content coding of one stream: its compressor, and the frames that it has not met yet.
///
/// Frames wait as they are, shared with other streams, until the socket has room for them; what
/// is compressed then ends with a sync flush, so that the client can show it at once.
final class StreamCoding {
    let source: any StreamSource
    private let tally: CompressionTally
    private let storedByteCount: Int
    private var compressor = GzipCompressor(settings: .stream)
    private var pending: [StreamFrame] = []
    /// How many bytes wait, before compression.
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

extension ServerLoop {
    /// A coding for one more stream; nil where there are as many as allowed.
    func makeCoding(for source: any StreamSource) -> StreamCoding? {
        guard shared.compression.enter() else { return nil }
        return StreamCoding(
            source: source, tally: shared.compression,
            storedByteCount: limits.compressedFrameByteCount)
    }
}

/// Compressed streams.
extension Connection {
    /// Adds a frame to a stream: to what is written next, or to what is compressed then.
    func sendToStream(_ frame: StreamFrame) {
        if case .coded(let coding) = occupant {
            coding.add(frame)
            state.flags.insert(.hasUncoded)
            server.markDirty(self)
        } else {
            write(frame.chunk, hasChunks ? nil : frame.payloadRange)
        }
        if pendingByteCount > server.limits.streamByteCount { state.flags.insert(.isExhausted) }
    }

    /// How many bytes of a stream wait.
    var pendingByteCount: Int {
        queue.byteCount + occupant.uncodedByteCount
    }

    /// How many bytes of output the connection holds that nobody else counts, roughly: a compressor
    /// is 27 KiB.
    var outputByteCount: Int {
        guard case .coded(let coding) = occupant else { return queue.uncountedByteCount }
        return queue.uncountedByteCount + coding.pendingByteCount + 27 * 1024
    }

    /// Compresses what waits: called when there is room for it, and at the stream's end.
    func encodeStream(isLast: Bool = false) {
        guard case .coded(let coding) = occupant else { return }
        state.flags.remove(.hasUncoded)
        var coded: [UInt8] = []
        swap(&coded, &server.codingOutput)
        coding.encode(isLast: isLast, into: &coded)
        if hasChunks, !coded.isEmpty {
            let chunk = StreamFrame(coded).chunk
            if isActive {
                server.output.append(contentsOf: chunk.bytes)
            } else {
                queue.append(chunk)
            }
        } else if isActive {
            server.output.append(contentsOf: coded)
        } else {
            queue.append(copying: coded.span)
        }
        coded.removeAll(keepingCapacity: coded.capacity <= ServerLoop.outputByteCount)
        swap(&coded, &server.codingOutput)
    }

    /// Whether the client takes chunks, which HTTP/1.0 does not know.
    var hasChunks: Bool { !state.flags.contains(.isHTTP10) }
}
