import Bytes

/// Takes the framing off the body of one answer, which is read piece by piece: an event stream for
/// instance.
package struct ResponseBody: Sendable {
    private enum Framing: Sendable {
        case length(rest: Int)
        case chunked(ChunkedDecoder, coded: [UInt8])
        case untilClose
    }

    private var framing: Framing
    /// The body's last byte has come. One that ends with the connection never says so.
    package private(set) var isComplete = false

    /// The body behind this head, in chunks of at most `limit` bytes together.
    package init(_ framing: ResponseHead.BodyFraming, limit: Int = .max) {
        switch framing {
        case .none: self.framing = .length(rest: 0)
        case .length(let length): self.framing = .length(rest: length)
        case .chunked: self.framing = .chunked(ChunkedDecoder(start: 0, limit: limit), coded: [])
        case .untilClose: self.framing = .untilClose
        }
        if case .length(rest: 0) = self.framing { isComplete = true }
    }

    /// Appends what these bytes of the connection bring; what follows the body is dropped.
    package mutating func read(
        _ bytes: Span<UInt8>, to payload: inout [UInt8]
    ) throws(ResponseError) {
        guard !isComplete else { return }
        switch framing {
        case .untilClose: payload.append(copying: bytes)
        case .length(let rest):
            let count = min(rest, bytes.count)
            payload.append(copying: bytes.extracting(..<count))
            framing = .length(rest: rest - count)
            isComplete = rest == count
        case .chunked(var decoder, var coded):
            framing = .untilClose
            coded.append(copying: bytes)
            let progress = try decoder.decodeAnswer(&coded)
            decoder.drain(&coded, to: &payload)
            framing = .chunked(decoder, coded: coded)
            if case .complete = progress { isComplete = true }
        }
    }
}
