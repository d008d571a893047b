@testable import HTTPMessages
import Testing

@Suite struct ResponseReaderTests {
    struct Answer: Equatable {
        var status: Int
        var body: String
        var keepAlive = true
    }

    enum Outcome: Equatable {
        case answers([Answer])
        case refused
    }

    private static func one(_ body: String) -> Outcome {
        .answers([Answer(status: 200, body: body)])
    }

    static let table: [(String, Outcome)] = [
        ("", .answers([])),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", one("hi")),
        ("HTTP/1.1 200 \r\ncontent-length:2 \r\n\r\nhi", one("hi")),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", one("")),
        (
            "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
            .answers([Answer(status: 204, body: ""), Answer(status: 304, body: "")])
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            .answers([Answer(status: 201, body: "x")])
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
                + "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!",
            .answers([
                Answer(status: 200, body: "hi"), Answer(status: 404, body: "no!", keepAlive: false),
            ])
        ),
        (
            "HTTP/1.1 200 OK\r\nConnection: x, Close\r\n\r\nto the end",
            .answers([Answer(status: 200, body: "to the end", keepAlive: false)])
        ),
        (
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
            .answers([Answer(status: 200, body: "x", keepAlive: false)])
        ),
        (
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
            .answers([Answer(status: 200, body: "x")])
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", .refused),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", .refused),
        ("HTTP/2 200 OK\r\n\r\n", .refused),
        ("HTTP/1.1 20 OK\r\n\r\n", .refused),
        ("HTTP/1.1 099 OK\r\n\r\n", .refused),
        ("HTTP/1.1 2000 OK\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", .refused),
        ("HTTP/1.1 200 O\u{1}K\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\n folded\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .refused),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .refused),
        ("GET / HTTP/1.1\r\n\r\n", .refused),
    ]

    /// Reads a connection's bytes in pieces of this size, up to its end.
    private func outcome(_ text: String, step: Int, limit: Int = 1 << 20) -> Outcome {
        let bytes = Array(text.utf8)
        var reader = ResponseReader(limit: limit)
        var answers: [Answer] = []
        let receive: ResponseReader.Receiver = { head, message, body in
            let text = Slice(body).string(in: message)
            answers.append(Answer(status: head.status, body: text, keepAlive: head.keepAlive))
        }
        do {
            for start in stride(from: 0, to: bytes.count, by: step) {
                let end = min(start + step, bytes.count)
                try reader.read(bytes.span.extracting(start..<end), receive)
            }
            try reader.end(receive)
            return .answers(answers)
        } catch {
            return .refused
        }
    }

    @Test(arguments: table)
    func `answers are the same however they are cut`(text: String, wanted: Outcome) {
        for step in 1...max(1, text.utf8.count) {
            #expect(outcome(text, step: step) == wanted, "in pieces of \(step)")
        }
    }

    @Test func `an answer to HEAD has no body whatever its length says`() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8)
        var reader = ResponseReader(answersHead: true)
        var bodies: [Range<Int>] = []
        try reader.read(bytes.span) { head, _, body in bodies.append(body) }
        #expect(bodies == [bytes.count..<bytes.count])
    }

    @Test func `fields are read in their order`() throws {
        let text = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX-A:  b c \r\nx-a: d\r\n\r\n"
        let bytes = Array(text.utf8)
        var parser = ResponseParser()
        let head = try #require(try parser.parse(bytes.span))
        var fields: [String] = []
        head.forEachField(in: bytes.span) { name, value in
            fields.append("\(name.string(in: bytes.span))=\(value.string(in: bytes.span))")
        }
        #expect(fields == ["ETag=\"1\"", "X-A=b c", "x-a=d"])
        #expect(head.byteCount == bytes.count)
        #expect(head.body == .untilClose)
    }

    @Test func `a head or an answer beyond the limit is refused`() {
        var parser = ResponseParser(headByteCount: 40)
        let long = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 40))\r\n\r\n".utf8)
        #expect(throws: ResponseError.tooLong(limit: 40)) { _ = try parser.parse(long.span) }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n"
        let answer = head + String(repeating: "x", count: 90)
        #expect(outcome(answer, step: 50, limit: 60) == .refused)
    }

    @Test(arguments: [
        ("Content-Length: 5", "hello", "hello", true), ("Content-Length: 0", "", "", true),
        ("Content-Length: 6", "hello", "hello", false), ("X: y", "hello", "hello", false),
        ("Transfer-Encoding: chunked", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello", true),
        ("Transfer-Encoding: chunked", "2\r\nhe\r\n3\r\nl", "hel", false),
    ])
    func `a body is read piece by piece`(
        field: String, coded: String, wanted: String, isComplete: Bool
    ) throws {
        let head = Array("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8)
        for step in 1...max(1, coded.utf8.count) {
            var parser = ResponseParser()
            let framing = try #require(try parser.parse(head.span)).body
            var body = ResponseBody(framing)
            var payload: [UInt8] = []
            let bytes = Array(coded.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                let end = min(start + step, bytes.count)
                try body.read(bytes.span.extracting(start..<end), to: &payload)
            }
            #expect(payload.text == wanted)
            #expect(body.isComplete == isComplete)
        }
    }
}
