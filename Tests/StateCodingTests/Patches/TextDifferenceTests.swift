import Bytes
import Foundation
import Testing

@testable import StateCoding

func environmentVariable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
}

/// The operations between two texts, as text; empty where there are none.
private func operations(_ old: String, _ new: String) -> String {
    let patch = JSONPatch.difference(from: Array(old.utf8).span, to: Array(new.utf8).span)
    return String(decoding: patch?.operations ?? [], as: UTF8.self)
}

struct TextDifferenceTests {
    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#, ""),
        ("7", "8", #"[{"op":"replace","path":"","value":8}]"#),
        ("[1]", "{}", #"[{"op":"replace","path":"","value":{}}]"#),
        (
            #"{"a":{"b":1},"long":"a text that would have to be said again"}"#,
            #"{"a":{"b":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/a/b","value":2}]"#
        ),
        (
            #"{"a/b~c":{"\"":1},"long":"a text that would have to be said again"}"#,
            #"{"a/b~c":{"\"":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/a~1b~0c/\"","value":2}]"#
        ),
        (
            #"{"a\/b":{"":1},"long":"a text that would have to be said again"}"#,
            #"{"a\/b":{"":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/a~1b/","value":2}]"#
        ),
        (
            #"{"~1":{"":1},"long":"a text that would have to be said again"}"#,
            #"{"~1":{"":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/~01/","value":2}]"#
        ),
        (
            #"{"\\/":{"":1},"long":"a text that would have to be said again"}"#,
            #"{"\\/":{"":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/\\~1/","value":2}]"#
        ),
        (
            #"{"é":{"":1},"long":"a text that would have to be said again"}"#,
            #"{"é":{"":2},"long":"a text that would have to be said again"}"#,
            #"[{"op":"replace","path":"/é/","value":2}]"#
        ),
        ("[]", "[]", ""), ("[1,1]", "[1]", #"[{"op":"remove","path":"/1"}]"#),
        (
            #"{"a":1,"b":2,"long":"a text that would have to be said again","c":3}"#,
            #"{"c":3,"a":1,"b":2,"long":"a text that would have to be said again"}"#,
            #"[{"op":"remove","path":"/c"},{"op":"add","path":"/c","value":3,"before":"a"}]"#
        ),
        (
            #"{"a":1,"long":"a text that would have to be said again"}"#,
            #"{"a":1,"b":2,"long":"a text that would have to be said again","z":3}"#,
            #"[{"op":"add","path":"/b","value":2,"before":"long"},{"op":"add","path":"/z","value":3}]"#
        ),
        (
            #"{"a":1,"b":2,"long":"a text that would have to be said again","c":3}"#,
            #"{"a":1,"long":"a text that would have to be said again","c":3,"b":2}"#,
            #"[{"op":"remove","path":"/b"},{"op":"add","path":"/b","value":2}]"#
        ),
        (
            #"["a text that would","have to be","said","again","and","again"]"#,
            #"["a text that would","said","again","and","again","for ever"]"#,
            #"[{"op":"remove","path":"/1"},{"op":"add","path":"/5","value":"for ever"}]"#
        ),
        (
            #"[{"text":"have to be","n":1},"said","again","and again","and again","and again"]"#,
            #"["a text that would",{"text":"have to be","n":1},"said","again","and again","and again","and again"]"#,
            #"[{"op":"add","path":"/0","value":"a text that would"}]"#
        ),
        (
            #"[{"text":"a text that would","n":1},{"text":"have to be said again","n":2}]"#,
            #"[{"text":"a text that would","n":3},{"text":"have to be said again","n":4}]"#,
            #"[{"op":"replace","path":"/0/n","value":3},{"op":"replace","path":"/1/n","value":4}]"#
        ),
    ]) func `operations lead from one text to another`(old: String, new: String, expected: String) {
        #expect(operations(old, new) == expected)
    }

    @Test func `operations that are longer than a value give way to it, from the inside out`() {
        let long = #""a text that would have to be said again""#
        #expect(
            operations(
                #"{"list":[1,2,3,4,5,6],"long":\#(long)}"#, #"{"list":[9,8,7],"long":\#(long)}"#)
                == #"[{"op":"replace","path":"/list","value":[9,8,7]}]"#)
        #expect(
            operations(#"{"a":1,"b":2,"c":3}"#, #"{"a":4,"b":5,"c":6}"#)
                == #"[{"op":"replace","path":"","value":{"a":4,"b":5,"c":6}}]"#)
    }

    @Test func `an object in which a name stands twice is replaced`() {
        let long = #""long":"a text that would have to be said again""#
        #expect(
            operations(#"{"x":{"a":1,"a":2},\#(long)}"#, #"{"x":{"a":1,"a":3},\#(long)}"#)
                == #"[{"op":"replace","path":"/x","value":{"a":1,"a":3}}]"#)
        #expect(
            operations(#"{"x":{"b":1,"a":2},\#(long)}"#, #"{"x":{"a":1,"a":3},\#(long)}"#)
                == #"[{"op":"replace","path":"/x","value":{"a":1,"a":3}}]"#)
    }

    @Test func `values that nest deeper than a state may are compared on a small stack`() {
        let inside = String(repeating: "[", count: 5000)
        let behind = String(repeating: "]", count: 5000)
        let patch = operations(inside + "1" + behind, inside + "2" + behind)
        #expect(patch.hasPrefix(#"[{"op":"replace","path":"/0/0"#))
    }

    @Test func `the laws hold for random texts and edits`() throws {
        var generator = TextGenerator(seed: 1)
        var text = generator.document()
        for round in 0..<editCount(share: 4) {
            if round % 50 == 0 { text = generator.document() }
            let old = text.text
            for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
                text = generator.edited(text, depth: 5)
            }
            let new = text.text
            let patch = JSONPatch.difference(from: old.span, to: new.span)
            #expect((patch == nil) == (old == new), "round \(round)")
            guard let patch else { continue }
            #expect(patch.operations.count <= new.count + 40, "round \(round)")
            let result = Result { try OrderedTree(old).applying(patch.operations).text }
            try #require(
                (try? result.get()) == new,
                """
                round \(round)
                \(String(decoding: old, as: UTF8.self))
                \(String(decoding: new, as: UTF8.self))
                \(String(decoding: patch.operations, as: UTF8.self))
                \(result.map { String(decoding: $0, as: UTF8.self) })
                """)
            try checkParts(from: old, to: new, by: patch, "round \(round)")
        }
    }

    private static let parts = [
        "/root", "/root/items", "/root/name/0", "/list", "/list/0", "/list/3", "/list/3/id", "/no",
    ].compactMap { JSONPointer(parsing: $0) }

    /// What a patch does to a part is what has become of that.
    private func checkParts(
        from old: [UInt8], to new: [UInt8], by patch: JSONPatch, _ round: Comment
    ) throws {
        for (part, change) in zip(Self.parts, patch.changes(of: Self.parts)) {
            let before = part.range(in: old.span).map { Array(old[$0]) }
            let after = part.range(in: new.span).map { Array(new[$0]) }
            switch change {
            case .unknown: break
            case .nothing: #expect(before == after, round)
            case .patch(let patch):
                let tree = try OrderedTree(try #require(before, round))
                #expect(try tree.applying(patch.operations).text == after, round)
            }
        }
    }

    @Test(arguments: [
        ("/items/3", #"[{"op":"replace","path":"/n","value":8}]"#), ("/items/4", ""),
        (
            "/items",
            #"[{"op":"replace","path":"/3/n","value":8},{"op":"add","path":"/1","value":0}]"#
        ),
        ("/note", "?"), ("/note/text", "?"), ("/e\u{301}", ""), ("/not", ""),
    ]) func `tells by the paths what becomes of a part`(part: String, expected: String) throws {
        let isList = expected.contains("/1")
        let patch = JSONPatch(
            operations: Array(
                """
                [{"op":"replace","path":"/items/3/n","value":8},\
                \(isList ? #"{"op":"add","path":"/items/1","value":0},"# : "")\
                {"op":"add","path":"/note","value":"x","before":"z"},\
                {"op":"replace","path":"/\u{e9}/a","value":1}]
                """.utf8))
        let change = patch.changes(of: [try #require(JSONPointer(parsing: part))])[0]
        switch expected {
        case "?": #expect(change == .unknown)
        case "": #expect(change == .nothing)
        default: #expect(change == .patch(JSONPatch(operations: Array(expected.utf8))))
        }
    }

    @Test func `long texts take time in proportion to them`() throws {
        let members = (0..<20_000).map { "\"name \($0)\":\($0)" }
        let shuffled = (0..<20_000).map { "\"name \($0 * 7919 % 20_000)\":\($0)" }
        let old = Array("{\(members.joined(separator: ","))}".utf8)
        let new = Array("{\(shuffled.joined(separator: ","))}".utf8)
        let found = JSONPatch.difference(from: old.span, to: new.span)
        let patch = try #require(found)
        #expect(patch.operations.count == new.count + 37)
    }
}

/// Makes random trees, and changes them.
private struct TextGenerator {
    var random: SplitMix

    private static let names = [
        "id", "name", "text", "x", "y", "items", "a/b", "~t", "long name of a member", "ü", "0",
        #"\"quoted\\"#, "__proto__",
    ].map { Array($0.utf8) }

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func document() -> OrderedTree {
        .object([
            .init(name: Array("root".utf8), value: value(depth: 4)),
            .init(name: Array("list".utf8), value: .array((0..<5).map { _ in value(depth: 3) })),
        ])
    }

    private mutating func value(depth: Int) -> OrderedTree {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &random) {
        case 0: return .scalar(Array("\(Int.random(in: 0...1000, using: &random))".utf8))
        case 1: return .scalar(Array("\"\(Int.random(in: 0...9, using: &random)){[,]}\\\"\"".utf8))
        case 2: return .scalar(Array((Bool.random(using: &random) ? "true" : "null").utf8))
        case 3: return .scalar(Array("\(Int.random(in: 0...3, using: &random))".utf8))
        case 4, 5:
            return .array(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in value(depth: depth - 1) })
        default:
            let count = Int.random(in: 0...7, using: &random)
            let names = Self.names.shuffled(using: &random).prefix(count)
            return .object(names.map { .init(name: $0, value: value(depth: depth - 1)) })
        }
    }

    mutating func edited(_ tree: OrderedTree, depth: Int) -> OrderedTree {
        switch tree {
        case .array(var all) where !all.isEmpty:
            let index = Int.random(in: all.indices, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: all.remove(at: index)
            case 1: all.insert(value(depth: depth - 1), at: index)
            case 2: all.append(value(depth: depth - 1))
            case 3: all.shuffle(using: &random)
            default: all[index] = edited(all[index], depth: depth - 1)
            }
            return .array(all)
        case .object(var all) where !all.isEmpty:
            let index = Int.random(in: all.indices, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: all.remove(at: index)
            case 1:
                let free = Self.names.filter { name in !all.contains { $0.name == name } }
                if let name = free.randomElement(using: &random) {
                    all.insert(.init(name: name, value: value(depth: depth - 1)), at: index)
                }
            case 2: all.shuffle(using: &random)
            default: all[index].value = edited(all[index].value, depth: depth - 1)
            }
            return .object(all)
        default: return value(depth: max(depth, 0))
        }
    }
}
