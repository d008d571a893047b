import Redux
import Testing

@testable import StateCoding

/// Elements of sets, keys without a text, superclasses and secrets are encoded by encoders of their own; what
/// goes wrong there goes wrong in the whole, as if it stood in an array.
@Suite struct `Parts that are encoded by themselves` {
    private struct Turned: Encodable, Hashable {
        func encode(to encoder: any Encoder) throws { try Interleaved().encode(to: encoder) }
    }

    private struct Labels: Encodable, Hashable {
        func encode(to encoder: any Encoder) throws {
            try Mixed.one(1, b: 2).encode(to: encoder)
        }
    }

    /// Leaves out what cannot be encoded.
    private struct Without<Part: Encodable>: Encodable {
        var part: Part

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            try? container.encode(part, forKey: .a)
            try container.encode(1, forKey: .b)
        }
    }

    private struct Both<First: Encodable, Second: Encodable>: Encodable {
        var first: First
        var second: Second
    }

    private static let strange = EncodingFailure(
        reason: .refused, pointer: JSONPointer(), detail: "Another error was thrown.")

    /// What plain encoding, a form and texts with something in common come to, which has to be the same.
    private func text(_ value: some Encodable, maximumDepth: Int = 128) throws -> String {
        let encoder = StateEncoder(maximumDepth: maximumDepth)
        func result(_ body: (inout [UInt8]) throws -> Void) -> Result<String, EncodingFailure> {
            var bytes: [UInt8] = []
            return Result { try body(&bytes) }.map { String(decoding: bytes, as: UTF8.self) }
                .mapError { $0 as? EncodingFailure ?? Self.strange }
        }
        let plain = result { try encoder.encode(value, into: &$0) }
        #expect(result { $0 = try encoder.encode(value, after: nil).form.bytes() } == plain)
        let common = SharedCollections()
        for _ in 0..<2 {
            #expect(result { try encoder.encode(value, into: &$0, common) } == plain)
        }
        return try plain.get()
    }

    private static let turned = #"{"x":{"x":1,"z":3},"y":{"y":2,"z":[1,2]},"z":"k"}"#

    @Test func `fill containers in turn, as others do`() throws {
        #expect(try text([Turned()]) == "[\(Self.turned)]")
        #expect(try text(Set([Turned()])) == "[\(Self.turned)]")
        #expect(try text([Turned(): 1]) == "[\(Self.turned),1]")
        #expect(try text(Without(part: Set([Turned()]))) == #"{"a":[\#(Self.turned)],"b":1}"#)
    }

    private final class Derived: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            try Turned().encode(to: container.superEncoder(forKey: .a))
            try container.encode(1, forKey: .b)
        }
    }

    @Test func `and superclasses do`() throws {
        #expect(try text(Derived()) == #"{"a":\#(Self.turned),"b":1}"#)
    }

    @Test func `fail for good wherever they stand`() throws {
        let parts: [any Encodable] = [
            Without(part: Labels()), Without(part: [Labels()]), Without(part: Set([Labels()])),
            Without(part: [Labels(): 1]),
            Both(first: Interleaved(), second: Without(part: Labels())),
            Both(first: Without(part: Labels()), second: Interleaved()),
        ]
        for part in parts {
            let failure = #expect(throws: EncodingFailure.self) { try text(part) }
            #expect(failure?.reason == .mixedLabels, "\(part)")
        }
    }

    /// One unlabelled value, which is refused, is to stand for the whole.
    private struct Hollow: Encodable {
        private enum Key: String, CodingKey { case x, _0 }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .x)
            try? nested.encode(Pear(isBad: true), forKey: ._0)
        }
    }

    @Test func `a payload that was refused leaves nothing that could stand there`() throws {
        for value: any Encodable in [Hollow(), Both(first: Interleaved(), second: Hollow())] {
            let failure = #expect(throws: EncodingFailure.self) { try text(value) }
            #expect(failure?.reason == .refused)
        }
    }

    @Test func `what writes nothing is an object, as deep as one may be`() throws {
        #expect(try text([Empty()], maximumDepth: 2) == "[{}]")
        #expect(try text([[String: Int]()], maximumDepth: 2) == "[{}]")
        for value: any Encodable in [[Empty()], [[String: Int]()]] {
            let failure = #expect(throws: EncodingFailure.self) {
                try text(value, maximumDepth: 1)
            }
            #expect(failure?.reason == .tooDeep)
        }
    }

    @Test func `there may be no limit of depth`() throws {
        #expect(try text([Optional(Pear())], maximumDepth: .max) == "[1]")
        let decoder = StateDecoder(maximumDepth: .max)
        #expect(try decoder.decode([Int?].self, from: Array("[1,null]".utf8)) == [1, nil])
    }

    /// Keys that are shown alike, of values that have such keys again.
    private struct Node: Encodable {
        var children: [SecretKey: Node] = [:]
    }

    @Test func `values of keys that are shown alike are encoded once each`() throws {
        var node = Node()
        for depth in 0..<50 {
            node = Node(children: [
                SecretKey(number: depth, token: Secret("a")): node,
                SecretKey(number: depth, token: Secret("b")): Node(),
            ])
        }
        #expect(try text(node).split(separator: "number").count == 101)
    }

    /// Says in its error what it holds.
    private struct Card: Encodable {
        var number: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            if number.isEmpty {
                return try container.encode([number: Mixed.one(1, b: 2)], forKey: .a)
            }
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "No card: \(number)"))
        }
    }

    @Test(arguments: ["4111", ""])
    func `what goes wrong in a secret says nothing of it, also where it is written openly`(
        number: String
    ) throws {
        let failure = #expect(throws: EncodingFailure.self) {
            try StateEncoder().openBytes(of: ["card": [Secret(Card(number: number))]])
        }
        #expect(failure?.detail == "A secret cannot be encoded.")
        #expect(failure?.pointer.description == "/card/0")
    }
}
