internal import HTTPMessages
internal import Sockets

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
