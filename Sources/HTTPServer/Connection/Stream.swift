internal import Gzip
internal import HTTPMessages
internal import Sockets
internal import Synchronization

/// A running stream: its source, and its compressor where the client has asked for one.
///
/// Plain frames are queued as they are, shared with other streams. Those of a compressed stream
/// wait until there is room for them.
struct Stream {
    private enum Form {
        case plain(any StreamSource)
        case coded(StreamCoding)
    }

    private let form: Form

    init(_ source: any StreamSource) {
        form = .plain(source)
    }

    init(_ coding: StreamCoding) {
        form = .coded(coding)
    }

    /// The object that feeds the stream.
    var source: any StreamSource {
        switch form {
        case .plain(let source): source
        case .coded(let coding): coding.source
        }
    }

    private var coding: StreamCoding? {
        if case .coded(let coding) = form { coding } else { nil }
    }

    var isCompressed: Bool { coding != nil }

    /// The count of bytes that wait to be compressed.
    var uncodedByteCount: Int { coding?.pendingByteCount ?? 0 }

    /// The bytes of memory that the stream takes besides its queue: a compressor is 27 KiB.
    var codingByteCount: Int { coding.map { $0.pendingByteCount + 27 * 1024 } ?? 0 }

    /// Writes the fields of the stream's head behind those that `fill` adds. The body comes in
    /// chunks, or, for HTTP/1.0, ends with the connection (RFC 9112 §6.3).
    func writeHead(
        to writer: inout ResponseWriter, inChunks: Bool, _ fill: (inout ResponseWriter) -> Void
    ) {
        fill(&writer)
        if isCompressed { writer.field("Content-Encoding", "gzip") }
        if inChunks { writer.field("Transfer-Encoding", "chunked") }
        if !writer.hasEndedHead { writer.endHead() }
    }

    /// Adds a frame to those that are compressed next.
    func add(_ frame: StreamFrame) {
        precondition(isCompressed, "A plain frame is queued at once.")
        coding?.add(frame)
    }

    /// Queues the frames that wait, compressed; `buffer` is lent for the time of the call.
    func encode(inChunks: Bool, through buffer: inout [UInt8], to queue: inout WriteQueue) {
        encode(isLast: false, inChunks: inChunks, through: &buffer, to: &queue)
    }

    /// Queues the end of the stream, behind the frames that wait.
    func finish(inChunks: Bool, through buffer: inout [UInt8], to queue: inout WriteQueue) {
        encode(isLast: true, inChunks: inChunks, through: &buffer, to: &queue)
        if inChunks { queue.append(StreamFrame.lastChunk) }
    }

    private func encode(
        isLast: Bool, inChunks: Bool, through buffer: inout [UInt8], to queue: inout WriteQueue
    ) {
        guard let coding else { return }
        coding.encode(isLast: isLast, into: &buffer)
        if inChunks, !buffer.isEmpty {
            queue.append(StreamFrame(buffer).chunk)
        } else {
            queue.append(copying: buffer.span)
        }
        buffer.removeAll(keepingCapacity: buffer.capacity <= TurnOutput.bufferByteCount)
    }
}

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

    /// The answer to a stream that wants to be compressed.
    enum Entry {
        case entered
        /// As many streams as allowed are compressed.
        case refused
    }

    /// Counts one more stream, unless there are as many as allowed.
    func enter() -> Entry {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return .entered }
        leave()
        return .refused
    }

    /// A stream has ended.
    func leave() {
        let count = count.subtract(1, ordering: .relaxed).newValue
        precondition(count >= 0, "A stream that ends was counted.")
    }
}
