import Bytes
import StateCoding
import Testing

/// What is and is not JSON (RFC 8259), in the manner of JSONTestSuite.
struct JSONSyntaxTests {
    private func parse(_ bytes: [UInt8], maximumDepth: Int = 128) throws(DecodingFailure)
        -> JSONValue
    {
        try JSONValue(parsing: bytes.span, maximumDepth: maximumDepth)
    }

    static let refused: [String] = [
        "", " ", "\n", "\u{FEFF}1", "nul", "nulll", "null1", "True", "TRUE", "tru", "fals", "nan",
        "NaN",
        "Infinity", "-Infinity", "inf", "undefined", "'a'", "a", "*", "<null>", "\u{0}", "1\u{0}",
        // numbers
        "-", "+1", "++1", "--1", "- 1", "01", "-01", "00", "0x1", "0b1", "1.", "-1.", ".5", "-.5",
        "1.e1",
        "1e", "1e+", "1E-", "1e1.5", "1e1e1", "1_000", "1,000", "1 000", "1a", "0e", "0.", "2.e3",
        "0.1.2",
        "0e+-1", "１", "-a", "1/2", "1+2", "0 1",
        // strings
        "\"", "\"a", "a\"", "\"\\\"", "\"\\x41\"", "\"\\a\"", "\"\\'\"", "\"\\0\"", "\"\\u\"",
        "\"\\u1\"",
        "\"\\u12\"", "\"\\u123\"", "\"\\u123g\"", "\"\\u+123\"", "\"\\U0041\"", "\"a\nb\"",
        "\"a\tb\"",
        "\"a\u{0}b\"", "\"\u{1F}\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
        "\"\\ud800x\"", "\"\\ud800\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud800\\",
        "\"\\ud800\\udc0\"",
        "\"a\" \"b\"", "\"a\"b", "\"\\",
        // arrays
        "[", "]", "[[", "]]", "[1", "[1,", "[,", "[,]", "[1,]", "[1,,2]", "[,1]", "[1 2]", "[1:2]",
        "[1;2]",
        "[1]]", "[1}", "[}", "[\"a\"", "[[]", "[1],", "[-]", "[a]", "[1,\n", "[\"\",", "[][]",
        "[true false]",
        // objects
        "{", "}", "{}}", "{]", "{[", "{1:2}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":1",
        "{\"a\":1,", "{\"a\":1,}", "{,\"a\":1}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}",
        "{\"a\":1,,\"b\":2}", "{\"a\",\"b\"}", "{\"a\"=1}", "{:1}", "{null:1}", "{\"a\":1}{}",
        "{\"a\":1]",
        "{\"a", "{\"a\"", "{\"a\":", "{\"a\":{}", "{\"a\":[}", "{\"a\":1;\"b\":2}", "{\"a\":a}",
        // comments and other dialects
        "/* */1", "1//x", "[1]/**/", "# x\n1", "{\"a\":1}#", "\u{A0}1", "\u{2028}1", "\u{C}1",
        "\u{B}1",
        // a member named twice
        "{\"a\":1,\"a\":2}", "{\"a\":1,\"b\":2,\"a\":1}", "{\"a\":1,\"\\u0061\":2}",
        "[{\"x\":{\"k\":1,\"k\":1}}]",
        "{\"0\":0,\"1\":0,\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":0,\"8\":0,\"\\u0030\":0}",
    ]

    @Test(arguments: refused)
    func `what is not JSON is refused`(text: String) {
        let failure = #expect(throws: DecodingFailure.self) { try parse(Array(text.utf8)) }
        #expect(failure?.reason == .syntax)
        #expect((0...text.utf8.count).contains(failure?.offset ?? -1))
        #expect(throws: DecodingFailure.self) { try parse(Array("{\"k\":[\(text)".utf8)) }
    }

    @Test func `a name that stands twice is found among any others`() {
        // The same names, as they are and escaped.
        let spellings = [
            ("", ""), ("a", "a"), ("a", #"\u0061"#), ("b", "b"), ("ab", "ab"), ("ba", "ba"),
            ("ab", #"\u0061b"#), ("aab", "aab"), ("é", "é"), ("é", #"\u00e9"#), ("0", "0"),
        ]
        var generator = SplitMix(seed: 42)
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...10, using: &generator)
            let members = (0..<count).compactMap { _ in spellings.randomElement(using: &generator) }
            let text = members.map { "\"\($0.1)\":0" }.joined(separator: ",")
            let isTwice = Set(members.map(\.0)).count < members.count
            let parsed = try? parse(Array("{\(text)}".utf8))
            #expect((parsed == nil) == isTwice, "\(text)")
        }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC1, 0xBF, 0x22],
            [0x22, 0xC3, 0x22],
            [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xE0, 0xA0, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xED, 0xBF, 0xBF, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xF0, 0x90, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xFE, 0x22],
            [0x22, 0xE2, 0x82],
            [0x22, 0xC3], [0xC3, 0xA9], [0xEF, 0xBB, 0xBF, 0x31], [0xFE, 0xFF, 0x00, 0x31],
            [0x31, 0x00],
            [0x22, 0xE1, 0x80, 0xC0, 0x22], [0x22, 0xF1, 0x80, 0x80, 0xC0, 0x22],
            [0x22, 0xBF, 0x22],
        ] as [[UInt8]])
    func `what is not UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: DecodingFailure.self) { try parse(bytes) }
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "1.0", "-1.5e10", "1E5", "1e+5", "1e-5", "0e0", "0.0", "1e400",
        "123456789012345678901234567890", "null", "true", "false", "\"\"", "\"a\"", "\"\\u0000\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\ud83d\\ude00\"", "\"é\u{7F}\u{2028}\u{10FFFF}\"",
        "[]", "{}",
        " [ ] ", "\t{\r\n}\n", "[1,2]", "[[],[[]]]", "{\"a\":{\"b\":[{}]}}", "{\"\":0}",
        "{\"a\":1,\"A\":2}",
        "[0,-0,null,true,\"\"]", "{\"a\\u0062\":1,\"a\":2}",
    ])
    func `what is JSON is accepted`(text: String) throws {
        let document = try parse(Array(text.utf8))
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let trimmed = text.utf8.drop { space.contains($0) }.reversed().drop { space.contains($0) }
        #expect(document.json == trimmed.reversed())
    }

    @Test func `every beginning of a document is refused`() throws {
        let text = #"{"a":[1,-2.5e3,"x\u00e9é"],"b":{"c":null,"d":[true,false]}}"#
        let bytes = Array(text.utf8)
        _ = try parse(bytes)
        for count in 0..<bytes.count {
            #expect(throws: DecodingFailure.self) { try parse(Array(bytes[..<count])) }
        }
    }

    @Test func `nesting is limited, and the place is named`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try parse(nested(128))
        let failure = #expect(throws: DecodingFailure.self) { try parse(nested(129)) }
        #expect(failure?.reason == .tooDeep)
        #expect(failure?.pointer.tokens.count == 127)
        #expect(throws: DecodingFailure.self) { try parse(nested(1_000_000)) }
        _ = try parse(nested(10_000), maximumDepth: 10_000)
    }

    @Test(arguments: [
        (#"{"a":[1,{"b":x}]}"#, "/a/1/b", 13), (#"{"a":1,"b":[1,2"#, "/b/1", 15),
        (#"[1,2,]"#, "/1", 5),
    ])
    func `a syntax error names its offset and place`(text: String, pointer: String, offset: Int) {
        let failure = #expect(throws: DecodingFailure.self) { try parse(Array(text.utf8)) }
        #expect(failure?.offset == offset)
        #expect(failure?.pointer.description == pointer)
    }

    @Test func `values are found in a document`() throws {
        let text = #" {"s":"a\u0062","n":-12,"d":1.5,"t":true,"z":null,"l":[1,[2]],"o":{"k":{}}} "#
        let root = try parse(Array(text.utf8))
        #expect(root["s"]?.string == "ab")
        #expect(root["n"]?.integer == -12)
        #expect(root["d"]?.json == Array("1.5".utf8))
        #expect(root["d"]?.integer == nil)
        #expect(root["t"]?.bool == true)
        #expect(root["z"]?.json == Array("null".utf8))
        #expect(root["l"]?.elements?.count == 2)
        #expect(root["l"]?.elements?[1].json == Array("[2]".utf8))
        #expect(root["s"]?.json == Array(#""a\u0062""#.utf8))
        #expect(root.members?.map(\.name) == ["s", "n", "d", "t", "z", "l", "o"])
        #expect(root["o"]?["k"]?.members?.isEmpty == true)
        #expect(root["missing"] == nil && root["n"]?["x"] == nil)
        #expect(root.range == 1..<text.utf8.count - 1)
    }
}
