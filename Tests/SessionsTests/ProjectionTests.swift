import Bytes
import StateCoding
import Testing

@testable import Sessions

@Suite struct `The key of a projection` {
    private func pointer(_ text: String) throws -> JSONPointer {
        try #require(JSONPointer(parsing: text))
    }

    @Test func `is that of no other projection`() throws {
        let keys = [
            .whole,
            .part(try pointer("/a")), .part(try pointer("/a/")), .part(try pointer("/a~1")),
            .part(try pointer("/é")), .part(try pointer("/e\u{301}")),
            .view("v", [:]), .view("v", ["a": "1"]), .view("v", ["a": "1&b=2"]),
            .view("v", ["a": "1", "b": "2"]), .view("v", ["a": "", "1": "b"]),
            .view("v", ["a=1": "b"]), .view("v?a", ["1": ""]), .view("va", ["1": ""]),
            .view("select", ["a": ""]), ProjectionKey.view("v", ["é": ""]),
            .view("v", ["e\u{301}": ""]),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map(\.suffix)).count == keys.count)
    }

    @Test func `does not depend on the order of a view's arguments`() {
        let names = (0..<20).map { "name \($0)" }
        let one = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
        let other = Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, "x") })
        #expect(ProjectionKey.view("v", one) == ProjectionKey.view("v", other))
    }

    @Test func `of a part without tokens is that of the whole state`() throws {
        #expect(Projection.Kind.part(try pointer("")).key == .whole)
        #expect(ProjectionKey.whole.suffix == "")
    }
}

@Suite struct `The parts that are watched` {
    private func projections(_ pointers: String...) throws -> (Projections, [Projection]) {
        var projections = Projections(lastChange: 0)
        let parts = try pointers.map { text in
            let pointer = try #require(JSONPointer(parsing: text))
            let part = projections.find(.part(pointer), lastChange: 0)
            projections.addWatcher(of: part)
            return part
        }
        return (projections, parts)
    }

    private func texts(_ parts: [Projection]) -> [String?] {
        parts.map { $0.json.map { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    @Test func `are found in one pass, and only those that differ are new`() throws {
        var (projections, parts) = try projections("/a", "/b/1", "/a/x", "/none")
        let first = SharedBytes(Array(#"{"a":{"x":1},"b":[1,2]}"#.utf8))
        #expect(projections.updateParts(in: first, at: 1).count == 3)
        #expect(texts(parts) == [#"{"x":1}"#, "2", "1", nil])
        let second = SharedBytes(Array(#"{"a":{"x":1},"b":[1,3]}"#.utf8))
        let changed = projections.updateParts(in: second, at: 2)
        #expect(changed.map(\.key) == [parts[1].key])
        let third = SharedBytes(Array(#"{"b":[1,3],"none":{}}"#.utf8))
        #expect(projections.updateParts(in: third, at: 3).count == 3)
        #expect(texts(parts) == [nil, "3", nil, "{}"])
    }

    @Test func `are looked for anew when others come and go`() throws {
        var (projections, parts) = try projections("/a")
        let json = SharedBytes(Array(#"{"a":1,"b":2}"#.utf8))
        #expect(projections.updateParts(in: json, at: 1).count == 1)
        let pointer = try #require(JSONPointer(parsing: "/b"))
        let other = projections.find(.part(pointer), lastChange: 0)
        projections.addWatcher(of: other)
        projections.removeWatcher(of: parts[0])
        #expect(projections.updateParts(in: json, at: 2).map(\.key) == [other.key])
        #expect(projections.count == 1)
    }
}

@Suite struct `A projection` {
    @Test func `keeps the forms of its JSON until that changes`() {
        let projection = Projection(kind: .whole, key: .whole)
        projection.encoded(SharedBytes(Array("{}".utf8)), at: 1)
        let body = Projection(kind: .whole, key: .whole)
        projection.body = body
        projection.audience = body
        #expect(projection.body === body)
        projection.stayed(at: 2)
        #expect(projection.body === body)
        projection.encoded(SharedBytes(Array("[]".utf8)), at: 3)
        #expect(projection.body == nil)
        #expect(projection.audience === body)
    }
}
