import HTTPMessages
import RequestVectors
import Testing

@Suite struct `Requests as RFC 9110 and RFC 9112 have them` {
    @Test func `there are enough of them, each once`() {
        #expect(RequestVector.all.count >= 250)
        let names = Dictionary(grouping: RequestVector.all, by: \.description)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test(arguments: RequestVector.all)
    func `a request is taken, refused or awaited`(vector: RequestVector) {
        var parser = RequestParser()
        let outcome = Self.outcome(&parser, vector.bytes.span, of: vector.bytes)
        #expect(outcome == vector.expectation)
    }

    @Test(arguments: RequestVector.all)
    func `byte by byte the same comes of it`(vector: RequestVector) {
        let bytes = vector.bytes
        var parser = RequestParser()
        var outcome = RequestVector.Expectation.incomplete
        for end in 0...bytes.count {
            outcome = Self.outcome(&parser, bytes.span.extracting(..<end), of: bytes)
            if outcome != .incomplete { break }
        }
        #expect(outcome == vector.expectation)
    }

    @Test(arguments: RequestVector.all)
    func `cut at any place the same comes of it`(vector: RequestVector) {
        let bytes = vector.bytes
        let stride = max(1, bytes.count / 600)
        for cut in Swift.stride(from: 0, through: bytes.count, by: stride) {
            var parser = RequestParser()
            var outcome = Self.outcome(&parser, bytes.span.extracting(..<cut), of: bytes)
            if outcome == .incomplete {
                outcome = Self.outcome(&parser, bytes.span, of: bytes)
            }
            #expect(outcome == vector.expectation, "cut at \(cut)")
        }
    }

    @Test(arguments: RequestVector.all.filter(\.isGetRefused))
    func `a refusal tells HEAD from GET, wherever the bytes are cut`(vector: RequestVector) {
        for (bytes, isHead) in [(vector.bytes, false), (vector.asHead.bytes, true)] {
            let stride = max(1, bytes.count / 100)
            let cuts =
                [Array(0...bytes.count)]
                + Swift.stride(from: 0, to: bytes.count, by: stride)
                .map { [$0, bytes.count] }
            for ends in cuts {
                #expect(Self.isRefusedAsHead(bytes, ends) == isHead, "\(ends.count) pieces")
            }
        }
    }

    @Test(arguments: [
        ("HEAD /", true), ("HEAD ", true), ("\r\nHEAD /a HTTP/1.1\r\nHo", true), ("HEAD", false),
        ("HEA", false), ("", false), ("head /", false), ("HEADS / H", false), ("GET /HEAD ", false),
        ("HEAD\t/", false),
    ])
    func `a head that has not come whole is one of HEAD once its method has come`(
        text: String, isHead: Bool
    ) {
        let bytes = [UInt8](text)
        var whole = RequestParser()
        var single = RequestParser()
        _ = Self.outcome(&whole, bytes.span, of: bytes)
        for end in 0...bytes.count {
            _ = Self.outcome(&single, bytes.span.extracting(..<end), of: bytes)
        }
        #expect(whole.isHead(bytes.span) == isHead)
        #expect(single.isHead(bytes.span) == isHead)
    }

    /// Whether the refusal of the bytes, seen up to each of `ends` in turn, is one of HEAD; nil
    /// where they are not refused.
    private static func isRefusedAsHead(_ bytes: [UInt8], _ ends: [Int]) -> Bool? {
        var parser = RequestParser()
        for end in ends {
            let seen = bytes.span.extracting(..<end)
            if case .refused = outcome(&parser, seen, of: bytes) { return parser.isHead(seen) }
        }
        return nil
    }

    private static func outcome(
        _ parser: inout RequestParser, _ seen: Span<UInt8>, of bytes: [UInt8]
    ) -> RequestVector.Expectation {
        do throws(RequestError) {
            return try parser.parse(seen) ? .accepted(summary(parser.head, bytes)) : .incomplete
        } catch {
            return .refused(error.status)
        }
    }

    private static func summary(_ head: RequestHead, _ bytes: [UInt8]) -> RequestVector.Head {
        var summary = RequestVector.Head()
        summary.method = head.methodName.string(in: bytes.span)
        summary.path = head.path.string(in: bytes.span)
        summary.query = head.query.string(in: bytes.span)
        summary.authority = head.authority.string(in: bytes.span)
        summary.body =
            switch head.body {
            case .none: .none
            case .length(let length): .length(length)
            case .chunked: .chunked
            }
        summary.keepAlive = head.keepAlive
        summary.expectsContinue = head.expectsContinue
        summary.hasUnknownExpectation = head.hasUnknownExpectation
        summary.isHTTP10 = head.version == .http10
        summary.byteCountBehind = bytes.count - head.byteCount
        return summary
    }
}
