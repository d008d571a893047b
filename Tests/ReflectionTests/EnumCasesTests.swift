import Reflection
import Testing
import Unreflected

struct EnumCasesTests {
    @Test func `the names of cases are known, those with values first`() {
        #expect(EnumCases.names(of: Shape.self) == ["round", "square", "none", "unknown"])
        #expect(EnumCases.names(of: Single.self) == ["one"])
        #expect(EnumCases.names(of: Nested<String>.Inner.self) == ["held", "nothing"])
        #expect(EnumCases.names(of: Hidden.self) == ["a", "b"])
        #expect(EnumCases.names(of: Letters.self) == ["a", "b"])
        #expect(EnumCases.names(of: Never.self) == [])
    }

    @Test func `the types of associated values are known`() throws {
        let cases = try #require(EnumCases.list(of: Shape.self))
        #expect(cases.map { $0.payload != nil } == [true, true, false, false])
        #expect(cases[0].payload.map { "\($0)" } == "Double")
        let elements = try #require(cases[1].payload.flatMap(StoredTypes.elements))
        #expect(elements.map { $0.label } == ["width", "height", nil])
        #expect(
            elements.map { "\($0.type)" } == ["Int", "Dictionary<String, Optional<Int>>", "Shape"])
    }

    @Test func `a single value keeps its label`() throws {
        let payload = try #require(EnumCases.list(of: Single.self)?.first?.payload)
        #expect(StoredTypes.elements(of: payload)?.map { $0.label } == ["only"])
    }

    @Test func `generic enums have the types they were made with`() throws {
        let cases = try #require(EnumCases.list(of: Nested<[Int]>.Inner.self))
        #expect(cases[0].payload.map { "\($0)" } == "Array<Array<Int>>")
    }

    @Test func `what is no enum, or tells nothing, has no names`() {
        #expect(EnumCases.names(of: Int.self) == nil)
        #expect(EnumCases.names(of: Int?.self) == nil)
        #expect(EnumCases.names(of: (a: Int, b: Int).self) == nil)
        #expect(EnumCases.names(of: Node.self) == nil)
        #expect(EnumCases.names(of: (() -> Void).self) == nil)
        #expect(EnumCases.names(of: (any Error).self) == nil)
        #expect(EnumCases.names(of: UnreflectedAction.self) == nil)
        #expect(EnumCases.isEnum(UnreflectedAction.self))
        #expect(!EnumCases.isEnum(Int?.self))
    }

    @Test func `keys are made by their number, and tell their text`() {
        #expect(EnumCases.values(of: Keys.self)?.map(\.stringValue) == ["changed", "plain"])
        #expect(EnumCases.values(of: OneKey.self)?.map(\.stringValue) == ["only"])
        #expect(EnumCases.values(of: Letters.self) == [.a, .b])
        #expect(EnumCases.values(of: Shape.self) == nil)
        #expect(EnumCases.values(of: Never.self) == nil)
        #expect(EnumCases.values(of: Int.self) == nil)
    }

    @Test func `more than 256 cases are two bytes wide`() throws {
        let values = try #require(EnumCases.values(of: Many.self))
        #expect(values == Many.allCases)
        #expect(EnumCases.names(of: Many.self) == values.map(\.rawValue))
    }
}

indirect enum Shape {
    case none
    case round(Double)
    case square(width: Int, height: [String: Int?], Shape)
    case unknown
}

enum Single { case one(only: Int) }

struct Nested<Value> {
    enum Inner { case nothing, held([Value]) }
}

private enum Hidden { case a(Int), b }

enum Letters: String { case a, b }

final class Node { var next: Node? }

enum Keys: String, CodingKey {
    case edited = "changed"
    case plain
}

enum OneKey: CodingKey { case only }
