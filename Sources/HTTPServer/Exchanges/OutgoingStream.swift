internal import Bytes
package import Sockets

/// The sending side of a stream: a handle to copy and keep, on the stream's loop only. When the
/// stream is over it does nothing.
package struct OutgoingStream {
    /// Nil for a stream that has not begun. A connection has one stream in its life, and ends with it.
    let connection: Connection?

    /// Frames can be sent.
    package var isOpen: Bool {
        connection?.machine.isStreaming ?? false
    }

    /// Frames are compressed on their way.
    package var isCompressed: Bool {
        isOpen && connection?.awaited.coding != nil
    }

    /// From now on frames are compressed together with those of other streams that are sent the same,
    /// where the stream is compressed.
    package func share(_ compression: SharedCompression) {
        connection?.awaited.coding?.share(compression)
    }

    /// The stream takes so many bytes of memory more than what waits in it.
    package func hold(_ byteCount: Int) { if isOpen { connection?.hold(byteCount) } }

    /// The client is slower than the stream: `streamDrained` tells when it has caught up.
    package var isBlocked: Bool {
        isOpen && connection?.machine.isBlocked ?? false
    }

    /// Sends a frame at the end of the loop's turn, together with the turn's other ones; right after
    /// the stream's head, where that was just written. The bytes of large ones are shared, not
    /// copied. Bounding what waits is the sender's duty.
    package func send(_ frame: StreamFrame, on loop: isolated EventLoop) {
        guard let connection, connection.machine.isStreaming else { return }
        connection.send(frame)
    }

    /// The fate of a frame that was offered.
    package enum Offer {
        /// It is sent.
        case taken
        /// It is skipped: the source's `streamDrained` is called once all that waits is sent, even
        /// if that is at the end of this turn.
        case skipped
        /// The stream is over.
        case over
    }

    /// Sends a frame as `send` does, unless the client is slower than the stream, or more than
    /// `most` bytes wait: for a source that can skip frames.
    package func offer(
        waitingBehind most: Int, _ frame: () -> StreamFrame, on loop: isolated EventLoop
    ) -> Offer {
        guard let connection, connection.machine.isStreaming else { return .over }
        let byteCount = connection.unsentByteCount
        guard connection.machine.isBlocked || byteCount > most else {
            connection.send(frame())
            return .taken
        }
        if byteCount > 0 { connection.machine.tellsDrained = true }
        return .skipped
    }

    /// Ends the stream after what was sent. The source's `streamClosed` follows at the end of
    /// the turn.
    package func finish(on loop: isolated EventLoop) {
        connection?.finishStream(on: loop)
    }
}

/// Why the server ends a stream.
package enum StreamEnd: Sendable, Hashable {
    /// It has reached the age it was started with.
    case age
    /// The server is shutting down.
    case draining
}

/// Feeds one stream; told on the loop what becomes of it.
package protocol StreamSource: AnyObject {
    /// All that was sent is in the kernel's hands: there is room for more.
    ///
    /// Called once when all is sent, after something had to wait, or after frames were skipped that
    /// the source has offered.
    func streamDrained(on loop: isolated EventLoop)

    /// The stream is over and nothing can be sent any more: the client has gone, was too slow, or
    /// `finish` has been carried out. Called exactly once.
    func streamClosed(on loop: isolated EventLoop)

    /// The server finishes the stream as soon as this returns; what is sent in here still goes
    /// out first.
    func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop)
}

extension StreamSource {
    /// Says nothing more.
    package func streamEnding(_ end: StreamEnd, on loop: isolated EventLoop) {}
}

/// A piece of a stream, made once for all streams that get it: the payload in a chunk of its own
/// (RFC 9112 §7.1), and alone for clients that know no chunks.
///
/// A client hands on what a chunk brings as soon as it is whole. Without chunks many libraries
/// wait until a buffer of theirs is full.
package struct StreamFrame: Sendable {
    /// Digits of a size, with zeros in front: as many as are enough for what is expected.
    private static let shortDigitCount = 4
    private static let longDigitCount = 8

    let chunk: SharedBytes
    /// The place of the payload in the chunk.
    let payloadRange: Range<Int>

    /// A frame of the bytes that `fill` appends, which are at most `capacity` and at least one.
    package init(capacity: Int, _ fill: (inout [UInt8]) -> Void) {
        let digitCount = capacity > 0xFFFF ? Self.longDigitCount : Self.shortDigitCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity + digitCount + 4)
        bytes.append(addingCapacity: digitCount + 2) { start in
            start.append(repeating: 0x30, count: digitCount)
            start.append(0x0D)
            start.append(0x0A)
        }
        fill(&bytes)
        payloadRange = digitCount + 2..<bytes.count
        precondition(!payloadRange.isEmpty, "An empty chunk would end the stream.")
        precondition(payloadRange.count <= max(capacity, 0xFFFF), "A frame holds its capacity.")
        var rest = payloadRange.count
        var index = digitCount
        while rest > 0 {
            index -= 1
            bytes[index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: rest & 0xF))
            rest >>= 4
        }
        bytes.append(0x0D)
        bytes.append(0x0A)
        chunk = SharedBytes(bytes)
    }

    /// A frame of these bytes, of which there is at least one.
    package init(_ payload: [UInt8]) {
        self.init(capacity: payload.count) { $0.append(contentsOf: payload) }
    }

    /// The count of the payload's bytes.
    package var count: Int { payloadRange.count }

    /// It has the same bytes at the same place in memory.
    func isSame(as other: StreamFrame) -> Bool {
        chunk.bytes.span.isIdentical(to: other.chunk.bytes.span)
    }

    /// The end of a stream of chunks.
    static let lastChunk = SharedBytes(Array("0\r\n\r\n".utf8))
}
