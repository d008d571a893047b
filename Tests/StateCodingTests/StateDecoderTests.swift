import Bytes
import FoundationEssentials
import Testing

@testable import StateCoding

/// Decodes text.
func decoded<Value: Decodable>(
    _ type: Value.Type, _ text: String, maximumDepth: Int = 128
) throws(DecodingFailure) -> Value {
    try StateDecoder(maximumDepth: maximumDepth).decode(type, from: Array(text.utf8))
}

/// One row of the decoder's table: JSON and what is wrong with it for a type.
struct Misfit: CustomTestStringConvertible, Sendable {
    var json: String
    var pointer: String
    var decode: @Sendable () throws -> Void

    init<Value: Decodable & SendableMetatype>(_ type: Value.Type, _ json: String, _ pointer: String)
    {
        self.json = json
        self.pointer = pointer
        decode = { _ = try decoded(type, json) }
    }

    var testDescription: String { json }
}

struct Record: Codable, Equatable, Sendable {
    var id: Int
    var name: String
    var note: String?
    var score: Double
    var tags: Set<String>
    var fruit: Fruit
    var at: Date
    var children: [Record]
    var extra: [String: Int?]
}

struct StateDecoderTests {
    @Test func `integers are exact to their ends`() throws {
        #expect(try decoded(Int.self, "-9223372036854775808") == .min)
        #expect(try decoded(Int.self, "9223372036854775807") == .max)
        #expect(try decoded(UInt64.self, "18446744073709551615") == .max)
        #expect(try decoded(Int128.self, "-170141183460469231731687303715884105728") == .min)
        #expect(try decoded(Int128.self, "-10000000000000000000") == -10_000_000_000_000_000_000)
        #expect(try decoded(UInt128.self, "340282366920938463463374607431768211455") == .max)
        #expect(try decoded(Int8.self, "-128") == .min)
        #expect(try decoded(Int.self, "-0") == 0)
        #expect(try decoded(Int.self, "1.0") == 1)
        #expect(try decoded(Int.self, "12e2") == 1200)
        #expect(try decoded([Int128].self, "[1]") == [1])
        #expect(try decoded([String: UInt128].self, #"{"a":1}"#) == ["a": 1])
    }

    @Test(arguments: [
        ("9007199254740993.0", 9_007_199_254_740_993), ("1e2", 100), ("1.50e1", 15),
        ("-2.5E+1", -25),
        ("1200e-2", 12), ("0e999999999999", 0), ("-0.0", 0), ("0.000e-5", 0), ("0.001e3", 1),
        ("9223372036854775807.0", Int.max), ("-9.223372036854775808e18", Int.min),
        ("1.0000000000000000000000000000000000000000000", 1),
    ])
    func `an integer may have a point or an exponent, and keeps every digit`(
        json: String, expected: Int
    ) throws {
        #expect(try decoded(Int.self, json) == expected)
    }

    @Test(arguments: [
        "1.5", "1e-1", "1e-400", "1.0000000000000000000001", "0.99999999999999999999999", "1e19",
        "9223372036854775808.0", "1e999999999999",
        "1" + String(repeating: "0", count: 5_000) + "1.0",
        "0." + String(repeating: "0", count: 5_000) + "1",
    ])
    func `a number that is no integer is not rounded to one`(json: String) {
        #expect(throws: (any Error).self) { try decoded(Int.self, json) }
    }

    @Test func `floating-point numbers are rounded correctly`() throws {
        #expect(try decoded(Double.self, "0.1") == 0.1)
        #expect(try decoded(Double.self, "-0.0").sign == .minus)
        #expect(try decoded(Double.self, "-0").sign == .minus)
        #expect(try decoded(Double.self, "9007199254740993") == 9_007_199_254_740_992)
        #expect(try decoded(Double.self, "5e-324") == .leastNonzeroMagnitude)
        #expect(try decoded(Double.self, "1e-400") == 0)
        #expect(try decoded(Double.self, "123456789.123456789e-5") == 123_456_789.123456789e-5)
        #expect(try decoded(Float.self, "0.1") == 0.1)
    }

    @Test func `values of Foundation are read back`() throws {
        #expect(
            try decoded(Date.self, #""2025-11-21T07:54:26.123Z""#)
                == Date(timeIntervalSince1970: 1_763_711_666.123))
        #expect(
            try decoded(Date.self, #""2025-11-21T09:54:26+02:00""#)
                == Date(timeIntervalSince1970: 1_763_711_666))
        #expect(
            try decoded(Date.self, #""1969-12-31T23:59:59.999Z""#)
                == Date(timeIntervalSince1970: -0.001))
        #expect(
            try decoded(Date.self, #""+010000-01-01T00:00:00Z""#)
                == Date(timeIntervalSince1970: 253_402_300_800))
        #expect(try decoded(Data.self, #""AP8Q""#) == Data([0, 255, 16]))
        #expect(
            try decoded(URL.self, #""https://example.org/a""#).absoluteString
                == "https://example.org/a")
        let decimal = try decoded(Decimal.self, "12345678901234567890.12345678")
        #expect(decimal == Decimal(string: "12345678901234567890.12345678"))
        let id = UUID()
        #expect(try decoded(UUID.self, "\"\(id.uuidString)\"") == id)
    }

    @Test func `enums are read back`() throws {
        #expect(try decoded(Fruit.self, #"{"apple":{}}"#) == .apple)
        #expect(try decoded(Fruit.self, #"{"pear":3}"#) == .pear(3))
        #expect(try decoded(Fruit.self, #"{"fig":null}"#) == .fig(nil))
        #expect(try decoded(Fruit.self, #"{"plum":{"weight":2}}"#) == .plum(weight: 2, ripe: nil))
        #expect(try decoded(Fruit.self, #"{"gaps":[null,"a"]}"#) == .gaps(nil, "a"))
        #expect(try decoded(Fruit.self, #"{"lists":[[[1]],[2]]}"#) == .lists([[1]], [2]))
        #expect(try decoded(Fruit.self, #"{"lists":[[],[]]}"#) == .lists([], []))
        #expect(
            try decoded(Fruit.self, #"{"inside":{"bowl":[{"pick":"red"}]}}"#)
                == .inside(.bowl([.pick(.red)])))
    }

    @Test func `keys of dictionaries are read back`() throws {
        #expect(try decoded([Int: String].self, #"{"9":"y","10":"x"}"#) == [9: "y", 10: "x"])
        #expect(try decoded([Shade: Int].self, #"{"red":1}"#) == [.red: 1])
        #expect(try decoded([Pair: Int].self, #"[{"a":1},2]"#) == [Pair(a: 1): 2])
        #expect(try decoded([String: Int?].self, #"{"a":null,"b":1}"#) == ["a": nil, "b": 1])
    }

    @Test(arguments: [
        Misfit(Int.self, "\"1\"", ""), Misfit(Int.self, "1.5", ""), Misfit(Int8.self, "128", ""),
        Misfit(UInt.self, "-1", ""), Misfit(Int.self, "9223372036854775808", ""),
        Misfit(UInt64.self, "18446744073709551616", ""), Misfit(Double.self, "1e400", ""),
        Misfit(Double.self, "null", ""), Misfit(Bool.self, "1", ""), Misfit(String.self, "1", ""),
        Misfit([Int].self, "{}", ""), Misfit([Int].self, "[1,2,null]", "/2"),
        Misfit([String: Int].self, #"{"a/b":"x"}"#, "/a~1b"),
        Misfit([Int: Int].self, #"{"x":1}"#, "/x"),
        Misfit(Date.self, "\"2025-02-29T00:00:00Z\"", ""),
        Misfit(Date.self, "\"2025-13-01T00:00:00Z\"", ""),
        Misfit(Date.self, "\"2025-01-01\"", ""), Misfit(Date.self, "1", ""),
        Misfit(Date.self, "\"2025-01-01T24:00:00Z\"", ""),
        Misfit(Date.self, "\"2025-01-01T00:00:00\"", ""),
        Misfit(Data.self, "\"*\"", ""), Misfit(UUID.self, "\"x\"", ""),
        Misfit([UUID].self, "[\"x\"]", "/0"),
        Misfit(Decimal.self, "\"1\"", ""), Misfit(Pair.self, "{}", "/a"),
        Misfit([Pair].self, "[{\"a\":1},{}]", "/1/a"),
        Misfit(Fruit.self, "{}", ""), Misfit(Fruit.self, #"{"kiwi":1}"#, ""),
        Misfit(Fruit.self, #"{"mix":[1]}"#, "/mix"),
        Misfit(Fruit.self, #"{"mix":[1,2]}"#, "/mix/1"),
        Misfit(Fruit.self, #"{"mix":[1,"a",3]}"#, "/mix"),
        Misfit(Fruit.self, #"{"plum":[1]}"#, "/plum"),
        Misfit(Fruit.self, #"{"bowl":[{"inside":{"pear":null}}]}"#, "/bowl/0/inside/pear"),
        Misfit(Shade.self, "\"green\"", ""), Misfit([Shade].self, "[\"red\",\"green\"]", "/1"),
    ])
    func `what does not fit is refused at its place`(misfit: Misfit) {
        let failure = #expect(throws: DecodingFailure.self) { try misfit.decode() }
        #expect(failure?.reason == .shape)
        #expect(failure?.pointer.description == misfit.pointer)
        #expect(failure?.detail.isEmpty == false)
    }

    @Test func `a large object is read in any order of its members`() throws {
        let names = (0..<2000).map { "k\($0)" }
        let members = names.reversed().map { "\"\($0)\":{\"a\":\($0.utf8.count)}" }
        let text = "{" + members.joined(separator: ",") + "}"
        #expect(try decoded([String: Pair].self, text).count == 2000)
        #expect(try decoded(AnyKeys.self, text).sum == names.reduce(0) { $0 + $1.utf8.count })
    }

    @Test func `containers by hand are read`() throws {
        let hand = try decoded(
            HandRead.self, #"{"list":[1,null,{"a":2},[3],{"a":4}],"in":{"a":5},"super":{"a":6}}"#)
        #expect(hand.numbers == [1, 2, 3, 4, 5, 6])
    }

    @Test func `a way that goes on from another one is that from the root`() throws {
        var random = SplitMix(seed: .random(in: 0 ... .max))
        let text = #"{"a":[1,[2,{"b":3,"c":[]}],"d"],"e":{"f":{"g":[[],[4]]}},"h":5}"#
        let tape = try JSONTape(parsing: Array(text.utf8), maximumDepth: 128)
        var way = JSONTape.Way()
        for _ in 0..<2_000 {
            let entry = Int.random(in: 0..<tape.entries.count, using: &random)
            tape.lead(&way, to: entry)
            #expect(way.tokens == tape.pointer(toEntryAt: entry).tokens)
        }
    }

    /// A number or a text, found out by trying.
    private enum Either: Decodable, Equatable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do { self = .number(try container.decode(Int.self)) } catch {
                guard case DecodingError.typeMismatch(_, let context) = error,
                    let text = try? container.decode(String.self)
                else { throw error }
                self = .text("\(context.codingPath.map(\.stringValue)) \(text)")
            }
        }
    }

    /// It would take minutes to go through all that is before each.
    @Test(.timeLimit(.minutes(1))) func `one failure after the other takes no longer each`() throws
    {
        let count = 150_000
        let json = Array(repeating: #""a""#, count: count).joined(separator: ",")
        let texts = try decoded([[Either]].self, "[[1],[\(json)]]")
        #expect(texts[0] == [.number(1)] && texts[1].count == count)
        for place in [0, 1, count - 1] {
            #expect(texts[1][place] == .text(#"["1", "\#(place)"] a"#))
        }
    }
}

struct AnyKeys: Decodable {
    var sum = 0

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys { sum += try container.decode(Pair.self, forKey: key).a }
    }
}

struct HandRead: Decodable {
    var numbers: [Int] = []
    enum Keys: String, CodingKey { case list, inside = "in" }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        numbers.append(try list.decode(Int.self))
        if try !list.decodeNil() { numbers.append(-1) }
        let object = try list.nestedContainer(keyedBy: SampleKey.self)
        numbers.append(try object.decode(Int.self, forKey: .a))
        var inner = try list.nestedUnkeyedContainer()
        numbers.append(try inner.decode(Int.self))
        if !inner.isAtEnd || inner.count != 1 { numbers.append(-1) }
        numbers.append(try Pair(from: list.superDecoder()).a)
        let nested = try container.nestedContainer(keyedBy: SampleKey.self, forKey: .inside)
        if nested.contains(.a), !nested.contains(.b) {
            numbers.append(try nested.decode(Int.self, forKey: .a))
        }
        numbers.append(try Pair(from: container.superDecoder()).a)
    }
}

struct EndlessRead: Decodable {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(EndlessRead.self)
    }
}
