import HTTPMessages
@testable import HTTPServer
import Testing

@Suite struct RequestReaderTests {
    private static let requests = [
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: u\r\n\r\n",
        "PUT /d HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    ]
    private static let expected = ["/a ", "/b hello", "/c abcde", "/d "]

    @Test func `requests are the same wherever the bytes are cut`() throws {
        let bytes = [UInt8](Self.requests.joined().utf8)
        for first in 0...bytes.count {
            let pieces = [Array(bytes[..<first]), Array(bytes[first...])]
            #expect(try assemble(pieces) == Self.expected, "cut at \(first)")
        }
        #expect(try assemble(bytes.map { [$0] }) == Self.expected)
    }

    @Test func `a coding that is mostly sizes does not fill the memory`() throws {
        var reader = RequestReader(RequestLimits(), bodyLimit: 1 << 20)
        let head = [UInt8]("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        let chunks = [UInt8](String(repeating: "0000000001\r\na\r\n", count: 1000).utf8)
        guard case .head = reader.next(head.span) else { throw NotWhole() }
        #expect(consumes(head, &reader))
        for _ in 0..<50 { #expect(consumes(chunks, &reader)) }
        #expect(consumes([UInt8]("0\r\n".utf8), &reader))
        let end = [UInt8]("\r\n".utf8)
        guard case .request(let message?, end.count) = reader.next(end.span) else {
            throw NotWhole()
        }
        #expect(message.count - reader.head.byteCount == 50_000)
        #expect(message.capacity < 300_000)
        #expect(reader.messageByteCount == 0)
    }

    @Test(
        arguments: [(4, 5, true), (5, 5, false), (nil, 21, true), (nil, 20, false)]
            as [(Int?, Int, Bool)])
    func `a body is bounded by its plan, or by the limit`(
        planned: Int?, length: Int, isRefused: Bool
    ) {
        var reader = RequestReader(RequestLimits(), bodyLimit: 20)
        let bytes = [UInt8]("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n".utf8)
        _ = reader.next(bytes.span)
        reader.plan.bodyLimit = planned
        if case .refused(let problem) = reader.next(bytes.span) {
            #expect(isRefused && problem.code == "body-too-large")
        } else {
            #expect(!isRefused)
        }
    }

    private struct NotWhole: Error {}

    private func consumes(_ bytes: [UInt8], _ reader: inout RequestReader) -> Bool {
        guard case .needMore(bytes.count) = reader.next(bytes.span) else { return false }
        return true
    }

    /// Feeds the pieces as a connection does; path and body of each request.
    private func assemble(_ pieces: [[UInt8]]) throws -> [String] {
        var reader = RequestReader(RequestLimits(), bodyLimit: 1 << 20)
        var buffered: [UInt8] = []
        var found: [String] = []
        for piece in pieces {
            buffered += piece
            var isWaiting = false
            while !isWaiting, !buffered.isEmpty {
                switch reader.next(buffered.span) {
                case .head: #expect(reader.hasHead)
                case .request(let message, let used):
                    let whole = message ?? Array(buffered[..<used])
                    let path = reader.head.path.string(in: whole.span)
                    found.append("\(path) \(text(Array(whole[reader.head.byteCount...])))")
                    buffered.removeFirst(used)
                case .needMore(let used):
                    buffered.removeFirst(used)
                    isWaiting = true
                case .refused(let problem): throw problem
                }
            }
        }
        return found
    }
}
