import HTTPMessages
@testable import HTTPServer
import Testing

extension RequestAssembler {
    /// Looks at bytes, of which a body may have as many as by default.
    fileprivate mutating func next(_ bytes: Span<UInt8>) -> Step {
        next(bytes) { _, _ in HTTPLimits().bodyByteCount }
    }
}

@Suite struct RequestAssemblerTests {
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
        var assembler = RequestAssembler(bounds: RequestBounds(HTTPLimits()))
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = [UInt8](String(repeating: "0000000001\r\na\r\n", count: 1000).utf8)
        #expect(consumes([UInt8](head.utf8), &assembler))
        for _ in 0..<50 { #expect(consumes(chunks, &assembler)) }
        #expect(consumes([UInt8]("0\r\n".utf8), &assembler))
        let end = [UInt8]("\r\n".utf8)
        guard case .assembled(let parsed, _) = assembler.next(end.span) else {
            Issue.record("the request is not whole")
            return
        }
        let message = assembler.takeMessage()
        #expect(message.count - parsed.byteCount == 50_000)
        #expect(message.capacity < 300_000)
    }

    @Test func `a request that was put back comes again`() throws {
        var assembler = RequestAssembler(bounds: RequestBounds(HTTPLimits()))
        let bytes = [UInt8](Self.requests[2].utf8)
        guard case .assembled(let head, _) = assembler.next(bytes.span) else {
            Issue.record("the request is not whole")
            return
        }
        assembler.putBack(head, assembler.takeMessage())
        #expect(assembler.messageByteCount > 0)
        let nothing: [UInt8] = []
        guard case .assembled(_, 0) = assembler.next(nothing.span) else {
            Issue.record("the request has gone")
            return
        }
        #expect(text(Array(assembler.takeMessage()[head.byteCount...])) == "abcde")
        #expect(assembler.messageByteCount == 0)
    }

    private func consumes(_ bytes: [UInt8], _ assembler: inout RequestAssembler) -> Bool {
        guard case .needMore(bytes.count) = assembler.next(bytes.span) else { return false }
        return true
    }

    /// Feeds the pieces as a connection does; path and body of each request.
    private func assemble(_ pieces: [[UInt8]]) throws -> [String] {
        var assembler = RequestAssembler(bounds: RequestBounds(HTTPLimits()))
        var buffered: [UInt8] = []
        var found: [String] = []
        for piece in pieces {
            buffered += piece
            var isWaiting = false
            while !isWaiting, !buffered.isEmpty {
                let used: Int
                switch assembler.next(buffered.span) {
                case .request(let head, let body, let count):
                    let path = head.path.string(in: buffered.span)
                    found.append("\(path) \(text(Array(buffered[body])))")
                    used = count
                case .assembled(let head, let count):
                    let message = assembler.takeMessage()
                    let path = head.path.string(in: message.span)
                    found.append("\(path) \(text(Array(message[head.byteCount...])))")
                    used = count
                case .needMore(let count):
                    used = count
                    isWaiting = true
                case .refused(let problem, _): throw problem
                }
                buffered.removeFirst(used)
            }
        }
        return found
    }
}
