internal import Bytes
internal import Sockets

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

    /// The end of a stream of chunks.
    static let lastChunk = SharedBytes(Array("0\r\n\r\n".utf8))
}
