import FoundationEssentials
import StateCoding
import Testing

/// One row of the encoder's table: a value and its JSON.
struct WrittenForm: CustomTestStringConvertible, Sendable {
    var json: String
    var encode: @Sendable () throws -> String

    init(_ value: some Encodable & Sendable, _ json: String) {
        self.json = json
        encode = { try encoded(value) }
    }

    var testDescription: String { json }
}

/// The JSON of a value as text.
func encoded(_ value: some Encodable, maximumDepth: Int = 128) throws(EncodingFailure) -> String {
    var bytes: [UInt8] = []
    try StateEncoder(maximumDepth: maximumDepth).encode(value, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

struct StateEncoderTests {
    @Test(arguments: [
        WrittenForm(1, "1"), WrittenForm(-7, "-7"), WrittenForm(Int.min, "-9223372036854775808"),
        WrittenForm(UInt64.max, "18446744073709551615"),
        WrittenForm(Int128.max, "170141183460469231731687303715884105727"),
        WrittenForm(UInt8(255), "255"), WrittenForm(Int16(-300), "-300"),
        WrittenForm(1.5, "1.5"), WrittenForm(1.0, "1"), WrittenForm(-0.0, "-0.0"),
        WrittenForm(1e21, "1e+21"), WrittenForm(0.1, "0.1"), WrittenForm(Float(0.1), "0.1"),
        WrittenForm(Double.leastNonzeroMagnitude, "5e-324"), WrittenForm(Double.nan, "null"),
        WrittenForm(Double.infinity, "null"), WrittenForm(-Float.infinity, "null"),
        WrittenForm(true, "true"), WrittenForm(false, "false"),
        WrittenForm(Int?.none, "null"), WrittenForm([1, nil, 3], "[1,null,3]"),
    ])
    func `numbers and truth values are written shortest`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test(arguments: [
        WrittenForm("", #""""#), WrittenForm("plain", #""plain""#),
        WrittenForm("\"\\/", #""\"\\/""#), WrittenForm("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        WrittenForm("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
        WrittenForm("é\u{2028}😀", "\"é\u{2028}😀\""),
        WrittenForm(
            String(repeating: "x", count: 50) + "\n",
            "\"" + String(repeating: "x", count: 50) + "\\n\""),
        WrittenForm(
            String(repeating: "é", count: 5000), "\"" + String(repeating: "é", count: 5000) + "\""),
    ])
    func `strings are escaped where they must be and nowhere else`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test(arguments: [
        WrittenForm(Fruit.apple, #"{"apple":{}}"#), WrittenForm(Fruit.pear(3), #"{"pear":3}"#),
        WrittenForm(Fruit.fig(nil), #"{"fig":null}"#), WrittenForm(Fruit.fig("f"), #"{"fig":"f"}"#),
        WrittenForm(Fruit.plum(weight: 2, ripe: nil), #"{"plum":{"weight":2}}"#),
        WrittenForm(Fruit.plum(weight: 2, ripe: true), #"{"plum":{"weight":2,"ripe":true}}"#),
        WrittenForm(Fruit.mix(1, "a"), #"{"mix":[1,"a"]}"#),
        WrittenForm(Fruit.gaps(nil, nil), #"{"gaps":[null,null]}"#),
        WrittenForm(Fruit.bowl([.apple, .pear(1)]), #"{"bowl":[{"apple":{}},{"pear":1}]}"#),
        WrittenForm(Fruit.inside(.inside(.apple)), #"{"inside":{"inside":{"apple":{}}}}"#),
        WrittenForm(Fruit.lists([[1]], [2]), #"{"lists":[[[1]],[2]]}"#),
        WrittenForm(Fruit.pick(Shade.red), #"{"pick":"red"}"#),
    ])
    func `enums are externally tagged without the compiler's labels`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test(arguments: [
        WrittenForm(Set([10, 9, -3]), "[-3,9,10]"),
        WrittenForm(Set(["b", "a", "B"]), #"["B","a","b"]"#),
        WrittenForm(Set([1.5, -2, 10]), "[-2,1.5,10]"),
        WrittenForm(["b": 1, "a": 2, "": 3], #"{"":3,"a":2,"b":1}"#),
        WrittenForm([10: "x", 9: "y"], #"{"9":"y","10":"x"}"#),
        WrittenForm([Shade.red: 1, .blue: 2], #"{"blue":2,"red":1}"#),
        WrittenForm([Pair(a: 2): "x", Pair(a: 1): "y"], #"[{"a":1},"y",{"a":2},"x"]"#),
        WrittenForm(["a": ["c": Set([2, 1]), "b": []]], #"{"a":{"b":[],"c":[1,2]}}"#),
        WrittenForm([String: Int](), "{}"), WrittenForm([[Int]](), "[]"),
    ])
    func `sets and keys are sorted`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test(arguments: [
        WrittenForm(Date(timeIntervalSince1970: 0), #""1970-01-01T00:00:00.000Z""#),
        WrittenForm(Date(timeIntervalSince1970: 1_763_711_666.123), #""2025-11-21T07:54:26.123Z""#),
        WrittenForm(Date(timeIntervalSince1970: -0.001), #""1969-12-31T23:59:59.999Z""#),
        WrittenForm(Date(timeIntervalSince1970: 951_782_400), #""2000-02-29T00:00:00.000Z""#),
        WrittenForm(
            Date(timeIntervalSince1970: 253_402_300_800), #""+010000-01-01T00:00:00.000Z""#),
        WrittenForm(
            Date(timeIntervalSince1970: -62_198_755_200), #""-000001-01-01T00:00:00.000Z""#),
        WrittenForm(Date(timeIntervalSince1970: .nan), "null"),
        WrittenForm(Date(timeIntervalSince1970: .infinity), "null"),
        WrittenForm(Date(timeIntervalSince1970: 1e18), "null"),
        WrittenForm(Data([0, 255, 16]), #""AP8Q""#), WrittenForm(Data(), #""""#),
        WrittenForm(
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            #""01020304-0506-0708-090A-0B0C0D0E0F10""#),
        WrittenForm(
            Decimal(string: "12345678901234567890.12345678"), "12345678901234567890.12345678"),
        WrittenForm(Decimal.nan, "null"),
        WrittenForm(URL(string: "https://example.org/a?b=c"), #""https://example.org/a?b=c""#),
    ])
    func `values of Foundation have their forms`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test(arguments: [
        WrittenForm(Interleaved(), #"{"x":{"x":1,"z":3},"y":{"y":2,"z":[1,2]},"z":"k"}"#),
        WrittenForm(LateSuper(), #"{"super":{"x":1},"y":2}"#),
        WrittenForm(Empty(), "{}"), WrittenForm([Empty()], "[{}]"),
        WrittenForm(HandArray(), #"[1,"a",null,{"x":true},[2],{"x":1}]"#),
    ])
    func `all containers of an encoder work, in any order`(form: WrittenForm) throws {
        #expect(try form.encode() == form.json)
    }

    @Test func `a class shares its object with its superclass`() throws {
        #expect(try encoded(Derived()) == #"{"a":1,"b":2,"super":{"a":1},"z":9}"#)
    }

    @Test func `output grows behind what was there`() throws {
        var bytes = Array("data: ".utf8)
        try StateEncoder().encode(["a": 1], into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"data: {"a":1}"#)
    }

    @Test func `a failure leaves the output as it was and names the place`() {
        var bytes = Array("before".utf8)
        let failure = #expect(throws: EncodingFailure.self) {
            try StateEncoder().encode(["list": [Pear(), Pear(isBad: true)]], into: &bytes)
        }
        #expect(failure?.reason == .refused)
        #expect(failure?.pointer.description == "/list/1")
        #expect(bytes == Array("before".utf8))
    }

    /// Goes on where something cannot be encoded.
    private struct Lenient: Encodable {
        /// Fails behind a list, deep inside.
        private struct Half: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: SampleKey.self)
                try container.encode(Array(0..<100), forKey: .x)
                try container.encode(["a": [[Pear()], [Pear(isBad: true)]]], forKey: .y)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            try? container.encode(Pear(isBad: true), forKey: .a)
            try container.encode(1, forKey: .a)
            try? container.encode([Pear(), Pear(isBad: true)], forKey: .x)
            do { try container.encode(Half(), forKey: .x) } catch {
                try container.encode("another", forKey: .x)
            }
            var list = container.nestedUnkeyedContainer(forKey: .y)
            try? list.encode(Half())
            try list.encode([1])
            try? list.encode(Half())
            try list.encode(Pear())
            try? list.encode(Pear(isBad: true))
            var nested = container.nestedContainer(keyedBy: SampleKey.self, forKey: .z)
            try? nested.encode(Half(), forKey: .a)
            try nested.encode(2, forKey: .x)
            try? nested.encode(Half(), forKey: .y)
        }
    }

    @Test func `what cannot be encoded is left out where the type around it goes on`() throws {
        let states = [Lenient(), Lenient()]
        let one = #"{"a":1,"x":"another","y":[[1],1],"z":{"x":2}}"#
        #expect(try encoded(states) == "[\(one),\(one)]")
        let form = try StateEncoder().encode(states, after: nil).form
        #expect(String(decoding: form.bytes(), as: UTF8.self) == "[\(one),\(one)]")
    }

    @Test func `a name twice is a type's own affair beside what cannot be encoded, too`() throws {
        struct Both: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: SampleKey.self)
                try container.encode(1, forKey: .x)
                try? container.encode(Pear(isBad: true), forKey: .y)
                try container.encode(2, forKey: .x)
            }
        }
        #expect(try encoded(Both()) == #"{"x":1,"x":2}"#)
        let form = try StateEncoder().encode(Both(), after: nil).form
        #expect(String(decoding: form.bytes(), as: UTF8.self) == #"{"x":1,"x":2}"#)
    }

    /// Goes on with half of its one value.
    private struct Halved: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try? container.encode([Pear(), Pear(isBad: true)])
        }
    }

    /// A list that has one, and is shown to many.
    private struct HalvedList: Encodable {
        var list = Array(repeating: Halved(), count: 100)
    }

    @Test func `what would be no JSON is refused, whoever else is shown it`() throws {
        let (value, common) = (HalvedList(), SharedCollections())
        for _ in 0..<3 {
            var output: [UInt8] = []
            #expect(throws: EncodingFailure.self) {
                try StateEncoder().encode(value, into: &output, common)
            }
            #expect(throws: EncodingFailure.self) {
                try StateEncoder().form(of: value, after: nil, common)
            }
        }
    }

    @Test func `what would be no JSON is refused, and the next state is not`() throws {
        for _ in 0..<3 {
            let failure = #expect(throws: EncodingFailure.self) { try encoded([Halved()]) }
            #expect(failure?.reason == .refused)
            #expect(throws: EncodingFailure.self) {
                try StateEncoder().encode([Halved()], after: nil)
            }
            #expect(try encoded([1]) == "[1]")
        }
    }

    @Test func `mixed labels are refused`() {
        let failure = #expect(throws: EncodingFailure.self) {
            try encoded(["a": Mixed.one(1, b: 2)])
        }
        #expect(failure?.reason == .mixedLabels)
    }

    @Test func `nesting ends at the limit`() throws {
        #expect(try encoded(Nest(128)).utf8.count > 128)
        let failure = #expect(throws: EncodingFailure.self) { try encoded(Nest(129)) }
        #expect(failure?.reason == .tooDeep)
        #expect(throws: EncodingFailure.self) { try encoded([[[1]]], maximumDepth: 2) }
        #expect(throws: EncodingFailure.self) { try encoded(Endless()) }
    }

    @Test func `two values for one are refused`() {
        #expect(throws: EncodingFailure.self) { try encoded(Twice()) }
        #expect(throws: EncodingFailure.self) { try encoded([Both()]) }
    }
}
