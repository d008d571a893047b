import Bytes
import FoundationEssentials
import Redux
import StateCoding
import Testing

/// The laws that tie encoder, decoder and pointer together, over generated values.
struct RoundTripTests {
    @Test func `a principal is its id and its roles`() throws {
        let alice = Principal("alice", roles: ["member", "admin"])
        #expect(try encoded(alice) == #"{"id":"alice","roles":["admin","member"]}"#)
        #expect(try decoded(Principal.self, encoded(alice)) == alice)
        #expect(try encoded(Principal.anonymous) == #"{"id":null,"roles":[]}"#)
        #expect(try decoded(Principal.self, encoded(Principal.anonymous)) == .anonymous)
    }

    @Test(arguments: 1...200)
    func `what was written reads back the same`(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let record = generator.record(depth: 3)
        let text = try encoded(record)
        #expect(try decoded(Record.self, text) == record, "seed \(seed)")
        #expect(try encoded(decoded(Record.self, text)) == text, "seed \(seed)")
    }

    @Test(arguments: 1...100)
    func `plain values are the same for Foundation`(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let plain = (0..<20).map { _ in Plain(&generator) }
        let text = try encoded(plain)
        #expect(
            try JSONDecoder().decode([Plain].self, from: Data(text.utf8)) == plain, "seed \(seed)")
        let theirs = try String(decoding: JSONEncoder().encode(plain), as: UTF8.self)
        #expect(try decoded([Plain].self, theirs) == plain, "seed \(seed)")
    }

    @Test(arguments: 1...50)
    func `a pointer finds what its value was written as`(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let record = generator.record(depth: 2)
        let bytes = Array(try encoded(record).utf8)
        for (index, child) in record.children.enumerated() {
            let pointer = JSONPointer(tokens: ["children", "\(index)"])
            let range = try #require(pointer.found(in: bytes))
            #expect(String(decoding: bytes[range], as: UTF8.self) == (try encoded(child)))
        }
        let name = try #require(JSONPointer(tokens: ["name"]).found(in: bytes))
        #expect(String(decoding: bytes[name], as: UTF8.self) == (try encoded(record.name)))
    }

    @Test(arguments: 1...300)
    func `bytes changed at random never trap`(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        var bytes = Array(try encoded(generator.record(depth: 2)).utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0...2, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            default: bytes.insert(UInt8.random(in: 0x20...0x7F, using: &generator), at: index)
            }
        }
        let record = try? StateDecoder().decode(Record.self, from: bytes)
        if let record {
            #expect(try decoded(Record.self, encoded(record)) == record, "seed \(seed)")
        }
        _ = JSONPointer(tokens: ["children", "0", "name"]).found(in: bytes)
    }
}

struct Plain: Codable, Equatable, Sendable {
    var integer: Int
    var small: Int8
    var number: Double
    var text: String
    var flag: Bool
    var maybe: [Int?]
    var absent: String?

    init(_ generator: inout SplitMix) {
        integer = Int.random(in: .min ... .max, using: &generator)
        small = Int8.random(in: .min ... .max, using: &generator)
        number = generator.number()
        text = generator.text()
        flag = Bool.random(using: &generator)
        maybe = (0..<3).map { _ in Bool.random(using: &generator) ? nil : 7 }
        absent = Bool.random(using: &generator) ? nil : generator.text()
    }
}

extension SplitMix {
    mutating func text() -> String {
        let letters = Array("ab \"\\/\n\u{0}\u{1F}é漢😀~\u{2028}\u{301}")
        return String(
            (0..<Int.random(in: 0...60, using: &self)).map { _ in
                letters.randomElement(using: &self) ?? "x"
            })
    }

    mutating func number() -> Double {
        switch Int.random(in: 0...3, using: &self) {
        case 0: return Double(Int.random(in: -1000...1000, using: &self))
        case 1: return Double.random(in: -1...1, using: &self)
        case 2: return Double(Int.random(in: -99_999...99_999, using: &self)) / 100
        default:
            let number = Double(bitPattern: next())
            return number.isFinite ? number : 0
        }
    }

    mutating func fruit(depth: Int) -> Fruit {
        switch Int.random(in: 0...(depth > 0 ? 9 : 7), using: &self) {
        case 0: .apple
        case 1: .pear(Int.random(in: .min ... .max, using: &self))
        case 2: .fig(Bool.random(using: &self) ? nil : text())
        case 3: .plum(weight: 1, ripe: [nil, true, false].randomElement(using: &self) ?? nil)
        case 4: .mix(2, text())
        case 5: .gaps(Bool.random(using: &self) ? nil : 1, Bool.random(using: &self) ? nil : "a")
        case 6: .lists([[1], []], [])
        case 7: .pick(.blue)
        case 8: .inside(fruit(depth: depth - 1))
        default: .bowl((0..<3).map { _ in fruit(depth: depth - 1) })
        }
    }

    mutating func record(depth: Int) -> Record {
        let children = depth > 0 ? Int.random(in: 0...3, using: &self) : 0
        return Record(
            id: Int.random(in: .min ... .max, using: &self), name: text(),
            note: Bool.random(using: &self) ? nil : text(), score: number(),
            tags: Set((0..<4).map { _ in text() }), fruit: fruit(depth: 3),
            at: Date(
                timeIntervalSince1970: Double(
                    Int.random(in: -99_999_999_999...9_999_999_999_999, using: &self)) / 1000),
            children: (0..<children).map { _ in record(depth: depth - 1) },
            extra: Dictionary([(text(), nil), (text(), 3)]) { _, last in last })
    }
}
