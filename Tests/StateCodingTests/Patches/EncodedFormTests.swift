import Bytes
import Synchronization
import Testing

@testable import StateCoding

struct EncodedFormTests {
    private let encoder = StateEncoder()

    /// Two seeds that once found something.
    private static let found: [UInt64] = [2_104_512_848_445, 3_431_151_171_730]
    /// Seeds, the last a new one each time, and sizes of collections: most small, some of several pieces.
    static let runs = (Array(1...19) + found + [UInt64.random(in: 4...1 << 40) * 5])
        .map { (seed: $0, size: $0 % 5 == 0 ? 120 : 5) }

    @Test(arguments: runs)
    func `whatever changes, the bytes are those of a fresh encoding, and the patch leads to them`(
        seed: UInt64, size: Int
    ) throws {
        var generator = FormStateGenerator(seed: seed, size: size, isInterleaved: seed % 4 == 1)
        var state = generator.state()
        var form = try encoder.encode(state, after: nil).form
        var tree = try OrderedTree(form.bytes())
        for round in 0..<editCount(share: size > 5 ? 400 : 16) {
            let former = state
            for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
                generator.change(&state)
            }
            let change = try encoder.encode(state, after: form)
            let bytes = change.form.bytes()
            let place: Comment = "seed \(seed), round \(round)"
            let fresh = try encodedBytes(state)
            try #require(bytes == fresh, place)
            try #require(change.form.byteCount == bytes.count, place)
            let patch = change.patch?.operations
            try #require((patch == nil) == (tree.text == bytes), place)
            if let patch {
                try #require(patch.count <= bytes.count + 40, place)
                tree = try tree.applying(patch)
                try #require(
                    tree.text == bytes,
                    "seed \(seed), round \(round): \(String(decoding: patch, as: UTF8.self))")
            }
            if round % 4 == 0 {
                let anew = try encoder.encode(former, after: nil).form
                let again = try encoder.encode(state, after: anew).patch
                try #require(again == change.patch, place)
                let same = try encoder.encode(state, after: nil).form
                try #require(same.text.bytes == change.form.text.bytes, place)
                try #require(change.form.change(from: same).patch == nil, place)
            }
            form = change.form
        }
    }

    // MARK: One thing after the other

    private func encodedBytes(_ value: some Encodable) throws -> [UInt8] {
        var output: [UInt8] = []
        try encoder.encode(value, into: &output)
        return output
    }

    /// The operations that lead from one value to another.
    private func patch<Value: Encodable>(from old: Value, to new: Value) throws -> String {
        let form = try encoder.encode(old, after: nil).form
        let change = try encoder.encode(new, after: form)
        #expect(try change.form.bytes() == encodedBytes(new))
        return String(decoding: change.patch?.operations ?? [], as: UTF8.self)
    }

    private func records(_ count: Int) -> [FormRecord] {
        (0..<count).map {
            FormRecord(id: $0, name: "record number \($0)", price: Double($0), marks: [])
        }
    }

    @Test func `nothing but what has changed is asked again`() throws {
        let tally = Asked.Tally()
        var lists = [0, 1].map { list in (0..<300).map { Asked(value: $0 + list, tally: tally) } }
        var form = try encoder.encode(lists, after: nil).form
        #expect(tally.count.load(ordering: .relaxed) == 600)
        lists[1][200].value = -5
        var change = try encoder.encode(lists, after: form)
        #expect(tally.count.load(ordering: .relaxed) == 601)
        #expect(
            change.patch?.operations
                == Array(#"[{"op":"replace","path":"/1/200","value":-5}]"#.utf8))
        form = change.form
        lists[0].insert(Asked(value: 9, tally: tally), at: 100)
        lists[0].removeLast()
        change = try encoder.encode(lists, after: form)
        #expect(tally.count.load(ordering: .relaxed) == 602)
        #expect(try encoder.encode(lists, after: change.form).patch == nil)
        #expect(tally.count.load(ordering: .relaxed) == 602)
    }

    @Test func `of a set and of keys without a text the patch says what has changed`() throws {
        let old = Set((0..<300).map { $0 * 2 })
        #expect(
            try patch(from: old, to: old.subtracting([100]).union([101, 1000]))
                == #"[{"op":"replace","path":"/50","value":101},"#
                + #"{"op":"add","path":"/300","value":1000}]"#)
        let formerPairs = Dictionary(
            uniqueKeysWithValues: (100..<400).map { (FormKey(number: $0, note: ""), -$0) })
        var pairs = formerPairs
        pairs[FormKey(number: 107, note: "")] = 70
        pairs[FormKey(number: 108, note: "")] = nil
        pairs[FormKey(number: 399, note: "")] = 5
        #expect(
            try patch(from: formerPairs, to: pairs)
                == #"[{"op":"replace","path":"/15","value":70},{"op":"remove","path":"/16"},"#
                + #"{"op":"remove","path":"/16"},{"op":"replace","path":"/597","value":5}]"#)
    }

    @Test(arguments: [3, 40, 400])
    func `sets and keys without a text come to the bytes of a fresh encoding`(size: Int) throws {
        var generator = SplitMix(seed: UInt64(size))
        var set: Set<FormKey> = []
        var pairs: [FormKey: [Int]] = [:]
        var forms = (
            try encoder.encode(set, after: nil).form, try encoder.encode(pairs, after: nil).form
        )
        // Collections grow with the rounds: the largest come to several pieces.
        for _ in 0..<(size == 400 ? 120 : 300) {
            let key = FormKey(number: Int.random(in: 0..<size, using: &generator), note: "x")
            let other = FormKey(number: Int.random(in: 0..<size, using: &generator), note: "x")
            set.formSymmetricDifference([key, other])
            pairs[key] = Bool.random(using: &generator) ? nil : [key.number, other.number]
            pairs[other, default: []].append(key.number)
            forms.0 = try encoder.encode(set, after: forms.0).form
            forms.1 = try encoder.encode(pairs, after: forms.1).form
            #expect(try forms.0.bytes() == encodedBytes(set))
            #expect(try forms.1.bytes() == encodedBytes(pairs))
        }
    }

    @Test func `keys that are written alike are in the order of a fresh encoding`() throws {
        var pairs = Dictionary(
            uniqueKeysWithValues: (0..<100).map { (FormKey(number: $0 / 2, note: "\($0)"), $0) })
        var form = try encoder.encode(pairs, after: nil).form
        for number in 0..<50 {
            pairs[FormKey(number: number, note: "new")] = number
            pairs[FormKey(number: number / 2, note: "\(number)")] = nil
            form = try encoder.encode(pairs, after: form).form
            #expect(try form.bytes() == encodedBytes(pairs))
        }
    }

    @Test func `a form that is dropped takes nothing from the one before it`() throws {
        var lists = records(200)
        let form = try encoder.encode(lists, after: nil).form
        let bytes = form.bytes()
        lists[7].price = 1.5
        let first = try encoder.encode(lists, after: form).patch
        lists[150].name = "refused"
        _ = try encoder.encode(lists, after: form)
        lists[150].name = "record number 150"
        #expect(try encoder.encode(lists, after: form).patch == first)
        #expect(form.bytes() == bytes)
    }

    @Test func `records are found again by their ids`() throws {
        let old = records(100)
        var new = old
        new.removeSubrange(20..<40)
        new[50].price = -1
        new.insert(FormRecord(id: 500, name: "new", price: 0, marks: []), at: 60)
        let patch = try patch(from: old, to: new)
        let removals = (0..<20).map { _ in #"{"op":"remove","path":"/20"}"# }
        #expect(
            patch == "[\(removals.joined(separator: ",")),"
                + #"{"op":"replace","path":"/50/price","value":-1},"#
                + #"{"op":"add","path":"/60","value":{"id":500,"name":"new","price":0,"marks":[]}}]"#
        )
    }

    @Test func `elements that move by one are not said again`() throws {
        let old = (0..<500).map { "line number \($0)" }
        #expect(
            try patch(from: old, to: old.dropFirst() + ["last"])
                == #"[{"op":"remove","path":"/0"},{"op":"add","path":"/499","value":"last"}]"#)
    }

    @Test func `members of dictionaries come and go in their order`() throws {
        var table = Dictionary(uniqueKeysWithValues: (10..<90).map { ("key \($0)", $0) })
        let old = table
        table["key 5"] = 1
        table["key 55"] = nil
        table["key 70"] = 7
        table["zoo"] = 2
        #expect(
            try patch(from: old, to: table)
                == #"[{"op":"remove","path":"/key 55"},"#
                + #"{"op":"add","path":"/key 5","value":1,"before":"key 50"},"#
                + #"{"op":"replace","path":"/key 70","value":7},{"op":"add","path":"/zoo","value":2}]"#
        )
    }

    @Test func `a value that cannot be encoded says where, and leaves the former form`() throws {
        var pears = Array(repeating: Pear(), count: 200)
        let form = try encoder.encode(["pears": pears], after: nil).form
        pears[170].isBad = true
        let failure = #expect(throws: EncodingFailure.self) {
            try encoder.encode(["pears": pears], after: form)
        }
        #expect(failure?.pointer == JSONPointer(tokens: ["pears", "170"]))
        pears[170].isBad = false
        #expect(try encoder.encode(["pears": pears], after: form).patch == nil)
    }

    @Test func `a form of another limit of nesting is no short cut past the limit`() throws {
        let deep = Array(repeating: Nest(20), count: 100)
        let form = try encoder.encode(deep, after: nil).form
        #expect(throws: EncodingFailure.self) {
            try StateEncoder(maximumDepth: 10).encode(deep, after: form)
        }
        #expect(try StateEncoder(maximumDepth: 64).encode(deep, after: form).patch == nil)
    }

    @Test func `collections inside of elements move with them`() throws {
        var list = records(100)
        for index in [3, 70] { list[index].children = records(10) }
        var form = try encoder.encode(list, after: nil).form
        list.remove(at: 1)
        list[2].children?[4].price = -1
        list.insert(list[2], at: 0)
        form = try encoder.encode(list, after: form).form
        let same = try encoder.encode(list, after: nil).form
        #expect(form.change(from: same).patch == nil)
        list[70].children = records(11)
        let patch = try encoder.encode(list, after: form).patch
        let tree = try OrderedTree(form.bytes()).applying(try #require(patch).operations)
        #expect(try tree.text == encodedBytes(list))
    }

    @Test func `a collection that has become short is text again`() throws {
        let list = records(65)
        let form = try encoder.encode(list, after: nil).form
        let change = try encoder.encode(Array(list.suffix(1)), after: form)
        #expect(change.form.text.holes.isEmpty)
    }

    @Test func `a form takes about twice the bytes of its JSON`() throws {
        for count in [10, 1000, 10_000] {
            let form = try encoder.encode(records(count), after: nil).form
            #expect(form.heldByteCount > form.byteCount * 2)
            #expect(form.heldByteCount < form.byteCount * 5 / 2 + 1000)
        }
    }

    @Test func `pieces do not wither away where elements come and go`() throws {
        var random = SplitMix(seed: 1)
        var list = records(2000)
        var form = try encoder.encode(list, after: nil).form
        for round in 0..<500 {
            let place = Int.random(in: 0..<list.count, using: &random)
            if round % 2 == 0 {
                list.remove(at: place)
            } else {
                list.insert(FormRecord(id: -round, name: "new", price: 0, marks: []), at: place)
            }
            form = try encoder.encode(list, after: form).form
        }
        let pieces = try #require(form.text.whole.hole).pieces
        #expect(pieces.count < 200)
        #expect(pieces.allSatisfy { $0.count <= FormWriter.elementLimit })
    }
}

/// An element that counts how often elements are encoded.
private struct Asked: Encodable, Hashable, Sendable {
    final class Tally: Sendable {
        let count = Atomic<Int>(0)
    }

    static func == (one: Asked, other: Asked) -> Bool { one.value == other.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    var value: Int
    let tally: Tally

    func encode(to encoder: any Encoder) throws {
        tally.count.add(1, ordering: .relaxed)
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A key that is no string, and of which a part is not written.
private struct FormKey: Encodable, Hashable {
    var number: Int
    var note: String

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode([number])
    }
}
