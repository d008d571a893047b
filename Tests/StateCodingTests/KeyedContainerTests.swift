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

/// Shows its container to whoever asks for it later.
private struct Showing: Encodable {
    enum CodingKeys: CodingKey { case name, late }

    final class Shown { var containers: [KeyedEncodingContainer<CodingKeys>] = [] }

    let name: String
    let shown: Shown

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        shown.containers.append(container)
    }
}

@Suite("A keyed container") struct KeyedContainerTests {
    @Test func `that is kept reads its own values, whatever is decoded behind them`() throws {
        var kept: [Keeping] = []
        let decoder = StateDecoder()
        for number in 0..<4 {
            let json = Array(#"[{"by":\#(number)},{"by":\#(number + 10)}]"#.utf8)
            kept += try decoder.decode([Keeping].self, from: json)
        }
        let numbers = [0, 10, 1, 11, 2, 12, 3, 13]
        #expect(try kept.map { try $0.kept } == numbers)
        #expect(try kept.map { try $0.readAnew } == numbers)
    }

    @Test func `that is kept reads its own action, whatever is posted behind it`() throws {
        let memory = ActionMemory()
        var kept: [Keeping] = []
        for number in 0..<4 {
            let json = Array(#"{"by":\#(number)}"#.utf8)
            let document = DocumentDecoder(
                tape: try memory.parse(json.span, maximumDepth: 8), maximumDepth: 8,
                isPosted: true, readers: memory.readers)
            kept.append(try document.decode(Keeping.self, at: Place(index: 0, depth: 0)))
            memory.sweep()
            memory.recycle(document.tape)
        }
        #expect(try kept.map { try $0.kept } == [0, 1, 2, 3])
        #expect(try kept.map { try $0.readAnew } == [0, 1, 2, 3])
    }

    @Test func `lets a document go once an action is decoded`() throws {
        let memory = ActionMemory()
        weak var document: DocumentDecoder?
        for number in 0..<4 {
            let json = Array(#"{"first":\#(number),"child":{"none":{}},"last":0}"#.utf8)
            let decoder = DocumentDecoder(
                tape: try memory.parse(json.span, maximumDepth: 8), maximumDepth: 8,
                readers: memory.readers)
            document = decoder
            #expect(try decoder.decode(Node.self, at: Place(index: 0, depth: 0)).first == number)
            memory.sweep()
        }
        #expect(document == nil)
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
        let rows = ["a", "b", "c"].map { Showing(name: $0, shown: shown) }
        try StateEncoder().encode(rows, into: &json)
        #expect(
            String(decoding: json, as: UTF8.self) == #"[{"name":"a"},{"name":"b"},{"name":"c"}]"#)
        for index in shown.containers.indices {
            try? shown.containers[index].encode("late", forKey: .late)
        }
        try StateEncoder().encode(rows, into: &json)
        #expect(json.count == 2 * #"[{"name":"a"},{"name":"b"},{"name":"c"}]"#.utf8.count)
    }
}
