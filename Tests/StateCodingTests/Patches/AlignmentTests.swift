import Testing

@testable import StateCoding

struct AlignmentTests {
    private func steps(_ old: String, _ new: String) throws -> [Alignment.Step] {
        let nodes = try [old, new].map { text in
            try #require(FormNode.reading(FormText(bytes: Array(text.utf8)).whole))
        }
        return Alignment(nodes[0], nodes[1]).steps
    }

    @Test func `elements that stay are passed over`() throws {
        #expect(try steps("[1,2,3]", "[1,2,3]").isEmpty)
        #expect(try steps("[]", "[]").isEmpty)
        #expect(try steps("[1,2,3]", "[1,3]") == [.remove(old: 1, at: 1)])
        #expect(try steps("[1,3]", "[1,2,3]") == [.add(new: 1, before: nil)])
        #expect(try steps("[1,2,3]", "[1,9,3]") == [.change(old: 1, new: 1)])
        #expect(try steps("[]", "[1]") == [.add(new: 0, before: nil)])
        #expect(try steps("[1,1]", "[1]") == [.remove(old: 1, at: 1)])
    }

    @Test func `members of one name never stand there twice on the way`() throws {
        #expect(
            try steps(#"{"a":1,"b":2,"c":3}"#, #"{"c":3,"a":1,"b":2}"#)
                == [.remove(old: 2, at: 0), .add(new: 0, before: 1)])
        #expect(
            try steps(#"{"a":1,"b":2}"#, #"{"x":1,"a":2,"y":3}"#)
                == [
                    .remove(old: 1, at: 0), .add(new: 0, before: 1), .change(old: 0, new: 1),
                    .add(new: 2, before: nil),
                ])
    }

    @Test func `the longest ascent is what need not move`() {
        func chosen(_ matches: [Int?]) -> [Int] { Alignment.longestAscent(matches).map(\.match) }
        #expect(chosen([2, nil, 0, 1, 4]) == [0, 1, 4])
        #expect(chosen([]).isEmpty)
        #expect(chosen([nil]).isEmpty)
        #expect(chosen([3, 2, 1]).count == 1)
        #expect(chosen(Array(0..<100)) == Array(0..<100))
        #expect(chosen([9] + Array(0..<9)) == Array(0..<9))
    }
}
