internal import HTTPMessages
internal import Sockets

extension RequestTraits {
    /// Writes an answer behind `buffer`, in its storage; `lines` are those of every answer.
    @inline(__always)
    func answer(
        _ status: Int, lines: [UInt8], behind buffer: consuming [UInt8],
        _ fill: (inout ResponseWriter) -> Void
    ) -> [UInt8] {
        var writer = begin(status, lines: lines, behind: buffer)
        fill(&writer)
        if !writer.hasEndedHead { end(&writer, status) }
        return writer.bytes
    }

    @inline(__always)
    private func begin(
        _ status: Int, lines: [UInt8], behind buffer: consuming [UInt8]
    ) -> ResponseWriter {
        var writer = ResponseWriter(buffer)
        writer.omitsBody = isHead
        writer.variesByOrigin = origin != .unshared
        writer.status(status)
        writer.lines(lines)
        if isLast {
            writer.lines(Self.closeLine)
        } else if isHTTP10 {
            writer.lines(Self.keepAliveLine)
        }
        return writer
    }

    /// Ends a head without a body: with a length, unless the status says that there is none
    /// (RFC 9110 §8.6).
    private func end(_ writer: inout ResponseWriter, _ status: Int) {
        if status == 204 || status == 304 {
            writer.endHead()
        } else {
            writer.body([])
        }
    }

    private static let closeLine = [UInt8]("Connection: close\r\n".utf8)
    private static let keepAliveLine = [UInt8]("Connection: keep-alive\r\n".utf8)
    /// The answer before the answer, for a client that waits before it sends its body (RFC 9110
    /// §15.2.1).
    static let continueBytes = [UInt8]("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}
