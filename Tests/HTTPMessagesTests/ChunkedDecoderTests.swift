import HTTPMessages
import Testing

@Suite struct `Bodies in chunks` {
    enum Outcome: Equatable {
        case body(String, rest: Int)
        case refused(Int)
        case incomplete
    }

    static let limit = 64

    static let table: [(String, Outcome)] =
        [
            ("0\r\n\r\n", .body("", rest: 0)),
            ("5\r\nhello\r\n0\r\n\r\n", .body("hello", rest: 0)),
            ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", .body("hello world", rest: 0)),
            ("a\r\n0123456789\r\n0\r\n\r\n", .body("0123456789", rest: 0)),
            ("A\r\n0123456789\r\n0\r\n\r\n", .body("0123456789", rest: 0)),
            ("005\r\nhello\r\n000\r\n\r\n", .body("hello", rest: 0)),
            ("0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n", .body("hello", rest: 0)),
            (zeros(4111) + "5\r\nhello\r\n" + zeros(17) + "\r\n\r\n", .refused(400)),
            (zeros(4110) + "5\r\nhello\r\n" + zeros(17) + "\r\n\r\n", .body("hello", rest: 0)),
            ("2\r\n\r\n\r\n0\r\n\r\n", .body("\r\n", rest: 0)),
            ("5;a\r\nhello\r\n0;b=c\r\n\r\n", .body("hello", rest: 0)),
            ("5;a=\"b c\"\r\nhello\r\n0\r\n\r\n", .body("hello", rest: 0)),
            ("0\r\nA: b\r\n\r\n", .body("", rest: 0)),
            ("0\r\nA: b\r\nC:\r\n\r\n", .body("", rest: 0)),
            ("0\r\n\r\nGET / HTTP/1.1\r\n", .body("", rest: 16)),
            ("1\r\na\r\n0\r\nA: b\r\n\r\nX", .body("a", rest: 1)),
            (
                "40\r\n" + String(repeating: "x", count: 64) + "\r\n0\r\n\r\n",
                .body(String(repeating: "x", count: 64), rest: 0)
            ),
        ] + extensions.map { ("5\($0)\r\nhello\r\n0\($0)\r\n\r\n", .body("hello", rest: 0)) }
        + badExtensions.map { ("5\($0)\r\n", .refused(400)) }
        + refused.map { ($0, .refused(400)) } + tooLarge.map { ($0, .refused(413)) }
        + incomplete.map { ($0, .incomplete) }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    /// RFC 9112 §7.1.1: white space is bad, but none where a semicolon or an equals sign divides.
    private static let extensions = [
        ";a", ";a;b", ";a=b", ";a=b;c=d", ";a=\"\"", ";a=\"b c\"", ";a=\"b;c=d\"", ";a=\"\\\"\"",
        ";a=\"\\\\\"", ";a=\"\t\u{80}\u{FF}\"", " ;a", "\t ;a", "; a", " \t; \ta \t= \tb \t;c",
        ";a ;b", ";a =b", ";a= \"b\"", ";a=\"b\" ;c", ";!#$%&'*+-.^_`|~09az=!", ";1=2",
    ]

    private static let badExtensions = [
        ";", ";;", ";a;", ";=", ";=b", ";a=", ";a=;b", ";a==b", ";a=b=c", ";\"", ";\"a\"", ";a=\"",
        ";a=\"b", ";a=\"\\", ";a=\"\\\"", ";a=\"b\"c", ";a=\"b\"\"c\"", ";a=b\"c\"", ";a b",
        ";a=b c",
        ";a(b", ";a=b,c", ";a=\"\u{0}\"", ";a=\"\\\u{1}\"", ";a=\u{80}", ";\u{80}", " ", "\t", " a",
        " ; ", ";a ", ";a\t", ";a=b ", ";a=\"b\" ", " =a", " 5", ";a= ", ";/",
    ]

    private static let refused = [
        "\r\n", "\n", " 5\r\n", "5 \r\n", "5\t\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "5h\r\n",
        "g\r\n",
        "5\n", "5\rh", "5\r\r\n", ";a\r\n", " ;a\r\n", "5;a\n", "5 \n", "5;\u{0}\r\n", "5;a\rb\r\n",
        "5\r\nhello!", "5\r\nhello0\r\n", "5\r\nhello\n0\r\n", "5\r\nhello\rx", "5\r\nhello\r\r",
        "1\r\na\r\n\r\n", "10000000000000000\r\n", "000ffffffffffffffff\r\n",
        "ffffffffffffffff\r\n", "0\r\n\n", "0\r\nA: b\n",
        "0\r\nA\r\n", "0\r\nA : b\r\n", "0\r\n: b\r\n", "0\r\n b\r\n", "0\r\nA: b\r\n c\r\n",
        "0\r\nA: \u{0}\r\n", "0\r\nA: b\rc\r\n", "0\r\n\r\r\n", "5,5\r\n", "\u{FF}\r\n",
        "5;" + String(repeating: "x", count: 5000), "5" + String(repeating: " ", count: 5000),
        zeros(5000),
        "0\r\nA: " + String(repeating: "b", count: 5000),
        String(repeating: "1;" + String(repeating: "x", count: 150) + "\r\na\r\n", count: 40),
    ]

    private static let tooLarge = [
        "41\r\n", "fffffffffffffff\r\n", "000000000000041\r\n",
        "20\r\n" + String(repeating: "x", count: 32) + "\r\n21\r\n",
    ]

    private static let incomplete = [
        "", "5", "5\r", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n", "5;a",
        "5 ", "5 ;", "5;a=\"", "0000000000000000000",
        "0", "0\r\n", "0\r\n\r", "0\r\nA", "0\r\nA: b\r\n", "0\r\nA: b\r\n\r", "fffffffffffffff",
    ]

    @Test(arguments: table)
    func `a coding is taken off, refused or awaited`(coded: String, expected: Outcome) {
        let bytes = coded.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(Self.decode([bytes[...]], compacts: false) == expected)
    }

    @Test(arguments: table)
    func `byte by byte and cut at any place the same comes of it`(
        coded: String, expected: Outcome
    ) {
        let bytes = coded.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let single = bytes.indices.map { bytes[$0...$0] }
        #expect(Self.decode(single, compacts: false) == expected)
        #expect(Self.decode(single, compacts: true) == expected)
        for cut in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 60)) {
            let parts = [bytes[..<cut], bytes[cut...]]
            #expect(Self.decode(parts, compacts: true) == expected, "cut at \(cut)")
        }
    }

    @Test func `what stands before the body stays`() throws {
        var bytes = [UInt8]("HEAD2\r\nab\r\n0\r\n\r\n")
        var decoder = ChunkedDecoder(start: 4, limit: 10)
        #expect(try decoder.decode(&bytes) == .complete(end: bytes.count))
        #expect([UInt8](bytes[..<decoder.decodedEnd]).text == "HEADab")
    }

    @Test func `compacting leaves nothing but the body`() throws {
        var bytes = [UInt8]("3;extension\r\nabc\r\n")
        var decoder = ChunkedDecoder(start: 0, limit: 10)
        #expect(try decoder.decode(&bytes) == .needMore)
        decoder.compact(&bytes)
        #expect(bytes.text == "abc")
        #expect(decoder.position == decoder.decodedEnd)
    }

    private static func decode(_ parts: [ArraySlice<UInt8>], compacts: Bool) -> Outcome {
        var bytes: [UInt8] = []
        var decoder = ChunkedDecoder(start: 0, limit: limit)
        var waiting = parts.reduce(0) { $0 + $1.count }
        for part in parts {
            bytes += part
            waiting -= part.count
            do throws(RequestError) {
                switch try decoder.decode(&bytes) {
                case .needMore:
                    if compacts { decoder.compact(&bytes) }
                case .complete(let end):
                    let body = [UInt8](bytes[..<decoder.decodedEnd]).text
                    return .body(body, rest: bytes.count - end + waiting)
                }
            } catch {
                return .refused(error.status)
            }
        }
        return .incomplete
    }
}
