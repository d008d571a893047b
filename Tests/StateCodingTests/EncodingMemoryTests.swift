import StateCoding
import Synchronization
import Testing

/// An element that counts how often elements are encoded.
private struct Counted: Encodable, Sendable {
    final class Tally: Sendable {
        let count = Atomic<Int>(0)
    }

    var value: Int
    let tally: Tally

    func encode(to encoder: any Encoder) throws {
        if value < 0 { throw Pear.Rotten() }
        tally.count.add(1, ordering: .relaxed)
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct Lists: Encodable, Sendable {
    var counter = 0
    var short: [Counted]
    var first: [Counted]?
    var nested: [[Counted]]
    var last: [Counted]
    var interleaved: Interleaved?
    var late: LateSuper?

    let tally: Counted.Tally

    init() {
        let tally = Counted.Tally()
        self.tally = tally
        short = [Counted(value: 1, tally: tally)]
        let long = { (0..<100).map { Counted(value: $0, tally: tally) } }
        first = long()
        nested = (0..<3).map { _ in long() }
        last = long()
    }

    enum CodingKeys: CodingKey {
        case counter, late, interleaved, short, first, nested, last
    }
}

struct EncodingMemoryTests {
    private let memory = EncodingMemory()

    /// The JSON of a value, which has to be what it is without a memory; and what of it was asked
    /// for again.
    private func encodedCount(_ lists: Lists) throws -> Int {
        var plain: [UInt8] = []
        var reused: [UInt8] = []
        try StateEncoder().encode(lists, into: &plain)
        let before = lists.tally.count.load(ordering: .relaxed)
        try StateEncoder().encode(lists, into: &reused, reusing: memory)
        #expect(String(decoding: reused, as: UTF8.self) == String(decoding: plain, as: UTF8.self))
        return lists.tally.count.load(ordering: .relaxed) - before
    }

    @Test func `arrays that nobody has changed are copied`() throws {
        var lists = Lists()
        #expect(try encodedCount(lists) == 501)
        #expect(try encodedCount(lists) == 1)
        lists.counter = 1000
        #expect(try encodedCount(lists) == 1)
        lists.last[3].value = 5000
        #expect(try encodedCount(lists) == 101)
        lists.nested[1][0].value = 7
        #expect(try encodedCount(lists) == 101)
        lists.short.append(lists.last[0])
        lists.nested[2].removeAll()
        #expect(try encodedCount(lists) == 2)
        #expect(try encodedCount(lists) == 2)
    }

    @Test func `an array that comes or goes costs its followers one encoding`() throws {
        var lists = Lists()
        let first = lists.first
        _ = try encodedCount(lists)
        lists.first = nil
        #expect(try encodedCount(lists) <= 401)
        #expect(try encodedCount(lists) == 1)
        lists.first = first
        #expect(try encodedCount(lists) <= 501)
        #expect(try encodedCount(lists) == 1)
    }

    @Test func `equal arrays of other storage are encoded, equal storage at other places, too`()
        throws
    {
        var lists = Lists()
        _ = try encodedCount(lists)
        lists.last = lists.last.map { $0 }
        #expect(try encodedCount(lists) == 101)
        lists.last = lists.nested[0]
        _ = try encodedCount(lists)
        #expect(try encodedCount(lists) == 1)
    }

    @Test func `what cannot be written straight is not kept`() throws {
        var lists = Lists()
        _ = try encodedCount(lists)
        lists.interleaved = Interleaved()
        #expect(try encodedCount(lists) >= 501)
        lists.interleaved = nil
        #expect(try encodedCount(lists) == 501)
        lists.late = LateSuper()
        _ = try encodedCount(lists)
        lists.late = nil
        #expect(try encodedCount(lists) == 501)
        #expect(try encodedCount(lists) == 1)
    }

    @Test func `after a failure everything is encoded again`() throws {
        var lists = Lists()
        _ = try encodedCount(lists)
        lists.last[50].value = -1
        var output = Array("x".utf8)
        #expect(throws: EncodingFailure.self) {
            try StateEncoder().encode(lists, into: &output, reusing: memory)
        }
        #expect(output == Array("x".utf8))
        lists.last[50].value = 1
        #expect(try encodedCount(lists) == 501)
        #expect(try encodedCount(lists) == 1)
    }

    @Test(arguments: 1...100)
    func `whatever changes, the bytes are those of an encoding without a memory`(
        seed: UInt64
    ) throws {
        var generator = SplitMix(state: seed)
        var record = generator.record(depth: 4)
        for _ in 0..<20 {
            generator.change(&record, depth: 3)
            var reused = Array("before".utf8)
            try StateEncoder().encode(record, into: &reused, reusing: memory)
            #expect(try "before" + encoded(record) == String(decoding: reused, as: UTF8.self))
        }
    }
}

extension SplitMix {
    /// Changes one thing somewhere in a record.
    fileprivate mutating func change(_ record: inout Record, depth: Int) {
        switch Int.random(in: 0...5, using: &self) {
        case 0: record.id &+= 1
        case 1: record.children.append(self.record(depth: depth))
        case 2: record.children.shuffle(using: &self)
        case 3 where !record.children.isEmpty: record.children.removeFirst()
        default:
            guard let index = record.children.indices.randomElement(using: &self), depth > 0 else {
                return record.note = nil
            }
            change(&record.children[index], depth: depth - 1)
        }
    }
}
