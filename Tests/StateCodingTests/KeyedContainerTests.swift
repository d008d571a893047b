import Testing

@testable import StateCoding

/// Keeps what decoded it, and what its members are read from.
private struct Keeping: Decodable {
    enum CodingKeys: CodingKey { case by }

    let decoder: any Decoder
    let container: KeyedDecodingContainer<CodingKeys>

    init(from decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: CodingKeys.self)
    }

    var kept: Int { get throws { try container.decode(Int.self, forKey: .by) } }

    var readAnew: Int {
        get throws {
            try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .by)
        }
    }
}

/// Keeps every third one.
private struct Sometimes: Decodable {
    let keeping: Keeping?

    init(from decoder: any Decoder) throws {
        let keeping = try Keeping(from: decoder)
        self.keeping = try keeping.kept % 3 == 0 ? keeping : nil
    }
}

/// A node whose own members stand on both sides of its child.
private struct Node: Codable, Equatable {
    indirect enum Child: Codable, Equatable { case none, node(Node) }

    var first: Int
    var child: Child
    var last: Int

    init(depth: Int) {
        (first, last) = (depth, -depth)
        child = depth == 0 ? .none : .node(Node(depth: depth - 1))
    }
}

/// Shows its container to whoever asks for it later, and writes to one that was shown before.
private struct Showing: Encodable {
    enum CodingKeys: CodingKey { case name, late }

    final class Shown {
        var containers: [KeyedEncodingContainer<CodingKeys>] = []
        weak var document: DocumentEncoder?
    }

    let name: String
    let shown: Shown
    var isKept = true
    var writesLate = false

    func encode(to encoder: any Encoder) throws {
        shown.document = (encoder as? ValueEncoder)?.document
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        if writesLate { try? shown.containers[0].encode("late", forKey: .late) }
        if isKept { shown.containers.append(container) }
    }
}

/// Keeps its encoder, and writes to those that were kept before.
private struct Lingering: Encodable {
    final class Kept {
        var encoders: [any Encoder] = []
    }

    let kept: Kept

    func encode(to encoder: any Encoder) throws {
        for other in kept.encoders {
            var container = other.singleValueContainer()
            try? container.encode("late")
        }
        kept.encoders.append(encoder)
        var container = encoder.singleValueContainer()
        try container.encode("on time")
    }
}

/// A value that passes over the errors of two of its members, one of them inside an array.
private struct Forgiving: Encodable {
    struct Failing: Encodable {
        struct Failure: Error {}
        enum CodingKeys: CodingKey { case name }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("a name that is long enough", forKey: .name)
            throw Failure()
        }
    }

    enum CodingKeys: CodingKey { case count, alone, rows, listed }

    var count = 0
    let rows = Array(repeating: "a row of a list", count: 20)
    let listed = Array(repeating: Failing(), count: 4)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
        if count % 3 != 1 { try? container.encode(Failing(), forKey: .alone) }
        try container.encode(rows, forKey: .rows)
        if count % 3 != 2 { try? container.encode(listed, forKey: .listed) }
    }
}

@Suite("A keyed container") struct KeyedContainerTests {
    /// More than are made before one is kept to be given out again.
    private let numbers = Array(0..<30)

    private func decode(
        _ json: String, in memory: ActionMemory
    ) throws -> (keeping: Keeping, document: DocumentDecoder) {
        let json = Array(json.utf8)
        let document = DocumentDecoder(
            tape: try memory.parse(json.span, maximumDepth: 8), maximumDepth: 8, isPosted: true,
            readers: memory.readers)
        defer { document.releaseReaders() }
        return (
            try document.decode(Keeping.self, at: Place(index: 0, depth: 0, segment: -1)), document
        )
    }

    @Test func `that is kept reads its own values, whatever is decoded behind them`() throws {
        let json = Array("[\(numbers.map { "{\"by\":\($0)}" }.joined(separator: ","))]".utf8)
        let kept = try StateDecoder().decode([Keeping].self, from: json)
        #expect(try kept.map { try $0.kept } == numbers)
        #expect(try kept.map { try $0.readAnew } == numbers)
    }

    @Test func `that is kept now and then reads its own values`() throws {
        let json = Array("[\(numbers.map { "{\"by\":\($0)}" }.joined(separator: ","))]".utf8)
        let kept = try StateDecoder().decode([Sometimes].self, from: json).compactMap(\.keeping)
        #expect(try kept.map { try $0.kept } == numbers.filter { $0 % 3 == 0 })
    }

    @Test func `that is kept reads its own action, whatever is posted behind it`() throws {
        let memory = ActionMemory()
        var kept: [Keeping] = []
        for number in numbers {
            let (keeping, document) = try decode("{\"by\":\(number)}", in: memory)
            if number % 3 == 0 { kept.append(keeping) }
            memory.recycle(document.tape)
        }
        #expect(try kept.map { try $0.kept } == numbers.filter { $0 % 3 == 0 })
        #expect(try kept.map { try $0.readAnew } == numbers.filter { $0 % 3 == 0 })
    }

    @Test func `has nothing in common with the next action once it is kept`() throws {
        let memory = ActionMemory()
        let (keeping, _) = try decode(#"{"by":1}"#, in: memory)
        _ = try decode(#"{"by":2}"#, in: memory)
        #expect(try keeping.readAnew == 1)
    }

    @Test func `lets the document go once it is decoded`() throws {
        let memory = ActionMemory()
        weak var posted: DocumentDecoder?
        weak var whole: DocumentDecoder?
        for number in numbers {
            posted = try decode("{\"by\":\(number)}", in: memory).document
            #expect(posted == nil)
        }
        do {
            let json = Array("[\(numbers.map { "{\"by\":\($0)}" }.joined(separator: ","))]".utf8)
            let kept = try StateDecoder().decode([Keeping].self, from: json)
            whole = (kept[0].decoder as? ValueDecoder)?.document
            #expect(whole != nil)
        }
        #expect(whole == nil)
    }

    @Test func `serves one object inside of the other`() throws {
        let node = Node(depth: 20)
        var json: [UInt8] = []
        try StateEncoder().encode(node, into: &json)
        let expected = (1...20).reduce(#"{"first":0,"child":{"none":{}},"last":0}"#) {
            #"{"first":\#($1),"child":{"node":\#($0)},"last":-\#($1)}"#
        }
        #expect(String(decoding: json, as: UTF8.self) == expected)
        #expect(try StateDecoder().decode(Node.self, from: json) == node)
    }

    @Test func `that is kept writes nothing into what is encoded behind it`() throws {
        let shown = Showing.Shown()
        var json: [UInt8] = []
        let rows = numbers.map {
            Showing(
                name: $0.description, shown: shown, isKept: $0 % 3 == 0, writesLate: $0 == 25)
        }
        let expected = "[\(numbers.map { "{\"name\":\"\($0)\"}" }.joined(separator: ","))]"
        try StateEncoder().encode(rows, into: &json)
        #expect(String(decoding: json, as: UTF8.self) == expected)
        json.removeAll()
        for index in shown.containers.indices {
            try? shown.containers[index].encode("late", forKey: .late)
        }
        shown.containers.removeAll()
        #expect(shown.document == nil)
    }

    @Test func `that comes of an encoder that is kept writes nothing into the next document`()
        throws
    {
        let kept = Lingering.Kept()
        for _ in numbers {
            var json: [UInt8] = []
            try StateEncoder().encode(Lingering(kept: kept), into: &json)
            #expect(json == Array("\"on time\"".utf8))
        }
    }

    @Test func `whose member has failed does the next form no harm`() throws {
        var state = Forgiving()
        var form: EncodedForm?
        for _ in 0..<600 {
            form = try StateEncoder().form(of: state, after: form)
            var plain: [UInt8] = []
            try StateEncoder().encode(state, into: &plain)
            #expect(form?.bytes() == plain)
            state.count += 1
        }
    }
}
