import Reflection
import Testing

private struct Padded {
    var small: Int8
    var text: String
    var flag: Bool
}

private struct Small: Equatable {
    var first: UInt32
    var second: UInt8
    var third: UInt32
}

private struct Nothing {}

private struct Outer {
    var row: Padded
    var number: UInt16
    var pair: (Int8, Int32)
    var maybe: Int?
}

struct EqualBitsTests {
    private let bits = EqualBits(of: Padded.self)
    private let rows = (0..<300).map {
        Padded(small: Int8($0 % 100), text: "a text of its own \($0)", flag: true)
    }

    @Test func `copies are equal, up to what has changed`() {
        for place in [0, 1, 63, 64, 65, 127, 128, 200, 298, 299] {
            var other = rows
            other[place].small += 1
            #expect(bits.equalCount(rows, from: 0, other, from: 0, limit: 300) == place)
            #expect(bits.equalTailCount(rows, other, limit: 300) == 299 - place)
            #expect(bits.equalCount(rows, from: 0, other, from: 0, limit: place) == place)
        }
        #expect(bits.equalCount(rows, from: 0, rows, from: 0, limit: 300) == 300)
        #expect(bits.equalTailCount(rows, rows, limit: 300) == 300)
        #expect(bits.equalCount(rows, from: 300, rows, from: 300, limit: 0) == 0)
    }

    @Test func `every byte of a row counts, however long the row is`() {
        let bits = EqualBits(of: UInt32.self)
        for count in 1...130 {
            let row = (0..<count).map { UInt32($0) &* 0x0101_0101 }
            #expect(bits.equalCount(row, from: 0, row.map { $0 }, from: 0, limit: count) == count)
            for place in 0..<count {
                var other = row
                other[place] ^= 1 << UInt32(place % 32)
                #expect(bits.equalCount(row, from: 0, other, from: 0, limit: count) == place)
            }
        }
    }

    @Test func `every property of a row counts that has bytes between its properties`() {
        let bits = EqualBits(of: Small.self)
        for count in 1...70 {
            let row = (0..<count).map { Small(first: UInt32($0), second: 7, third: 0) }
            #expect(bits.equalCount(row, from: 0, row.map { $0 }, from: 0, limit: count) == count)
            for place in 0..<count {
                var other = row
                switch place % 3 {
                case 0: other[place].first ^= 1 << 31
                case 1: other[place].second ^= 1 << 7
                default: other[place].third ^= 1
                }
                #expect(bits.equalCount(row, from: 0, other, from: 0, limit: count) == place)
                #expect(bits.equalTailCount(row, other, limit: count) == count - 1 - place)
                #expect(
                    bits.equalCount(row, from: place, other, from: place, limit: count - place)
                        == 0)
            }
        }
    }

    @Test func `bytes between properties mean nothing`() throws {
        let bits = EqualBits(of: Small.self)
        let gap = try #require(MemoryLayout<Small>.offset(of: \.second)) + 1
        try #require(gap < MemoryLayout<Small>.offset(of: \.third) ?? 0)
        for count in 1...70 {
            let row = (0..<count).map { Small(first: UInt32($0), second: 7, third: 0) }
            var other = row.map { $0 }
            // The byte belongs to no property.
            unsafe other.withUnsafeMutableBytes { bytes in
                for place in 0..<count {
                    unsafe bytes[place * MemoryLayout<Small>.stride + gap] = UInt8(place + 1)
                }
            }
            #expect(bits.equalCount(row, from: 0, other, from: 0, limit: count) == count)
            #expect(bits.equalTailCount(row, other, limit: count) == count)
        }
    }

    @Test func `elements that have moved are found where they are`() {
        let other = Array(rows.dropFirst(7))
        #expect(bits.equalCount(rows, from: 7, other, from: 0, limit: 293) == 293)
        #expect(bits.equalTailCount(rows, other, limit: 293) == 293)
        #expect(bits.equalCount(rows, from: 0, other, from: 0, limit: 293) == 0)
    }

    private func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
        EqualBits(of: Value.self).equalCount([one], from: 0, [other], from: 0, limit: 1) == 1
    }

    @Test func `bits decide, not what the type thinks`() {
        #expect(!areEqual(0.0, -0.0))
        #expect(areEqual(Double.nan, Double.nan))
        let text = String(repeating: "long ", count: 10)
        #expect(areEqual(text, text))
        #expect(!areEqual(text, text.lowercased()))
        let list = [1, 2]
        let copy = list
        #expect(EqualBits.storage(of: list) == EqualBits.storage(of: copy))
        #expect(EqualBits.storage(of: list) != EqualBits.storage(of: list.map { $0 }))
    }

    @Test func `values without bits are equal`() {
        let bits = EqualBits(of: Nothing.self)
        let all = Array(repeating: Nothing(), count: 100)
        #expect(bits.equalCount(all, from: 0, all, from: 50, limit: 50) == 50)
        #expect(bits.equalTailCount(all, all, limit: 100) == 100)
    }

    @Test func `every property counts, at whatever place`() {
        let row = Padded(small: 1, text: "a", flag: true)
        #expect(areEqual(row, row))
        #expect(!areEqual(row, Padded(small: 2, text: "a", flag: true)))
        #expect(!areEqual(row, Padded(small: 1, text: "b", flag: true)))
        #expect(!areEqual(row, Padded(small: 1, text: "a", flag: false)))
        let one = Outer(row: row, number: 1, pair: (1, 2), maybe: nil)
        #expect(areEqual(one, one))
        #expect(!areEqual(one, Outer(row: row, number: 2, pair: (1, 2), maybe: nil)))
        #expect(!areEqual(one, Outer(row: row, number: 1, pair: (1, 3), maybe: nil)))
        #expect(!areEqual(one, Outer(row: row, number: 1, pair: (1, 2), maybe: 0)))
        let other = Padded(small: 1, text: "a", flag: false)
        #expect(!areEqual(one, Outer(row: other, number: 1, pair: (1, 2), maybe: nil)))
    }
}
