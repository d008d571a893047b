import StateCoding
import Testing

@Suite struct `Many pointers` {
    private static let documents = [
        JSONPointerTests.document, "[]", "{}", "7", "", "{", #"{"a":"#, "[[[1,[2,3]],4],{\"0\":5}]",
        #"{"a":{"b":{"c":[10,20,{"d":null}]}},"b":[[],[[]]],"é":1,"\u0061b":2,"0":[3]}"#,
    ]
    private static let texts = [
        "", "/foo", "/foo/0", "/foo/1", "/foo/2", "/a~1b", "/m~0n", "/", "/0", "/0/0", "/0/0/1/1",
        "/1/0", "/a", "/a/b", "/a/b/c", "/a/b/c/2/d", "/a/b/c/02", "/a/b/c/-", "/b/1/0", "/é",
        "/ab", "/none", "/none/a", "/0/00", "/b/99999999999999999999",
    ]

    @Test(arguments: documents)
    func `are found where each of them is`(document: String) {
        let bytes = Array(document.utf8)
        let pointers = Self.texts.compactMap { JSONPointer(parsing: $0) }
        let ranges = PointerTree(pointers).ranges(in: bytes.span)
        let isWhole = (try? JSONValue(parsing: bytes.span)) != nil
        for (pointer, range) in zip(pointers, ranges) where isWhole {
            #expect(range == pointer.found(in: bytes), "\(pointer)")
        }
        for case let range? in ranges { #expect(range.upperBound <= bytes.count) }
    }

    @Test func `may be the same, or none at all`() {
        let bytes = Array(#"{"a":1}"#.utf8)
        let pointer = JSONPointer(tokens: ["a"])
        #expect(PointerTree([pointer, pointer]).ranges(in: bytes.span) == [5..<6, 5..<6])
        #expect(PointerTree([]).ranges(in: bytes.span) == [])
    }

    @Test func `of a hundred members are found in a large object`() {
        let members = (0..<5_000).map { "\"no\($0)\":\($0)" }.joined(separator: ",")
        let bytes = Array("{\(members)}".utf8)
        let pointers = (0..<100).map { JSONPointer(tokens: ["no\($0 * 61)"]) }
        for (pointer, range) in zip(pointers, PointerTree(pointers).ranges(in: bytes.span)) {
            #expect(range == pointer.found(in: bytes))
        }
    }
}
