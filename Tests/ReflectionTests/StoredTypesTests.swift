import Reflection
import Testing

struct StoredTypesTests {
    @Test func `a struct's types are those of its stored properties`() {
        #expect(names(StoredTypes.list(of: Point.self)) == ["Int", "Optional<Double>"])
        #expect(names(StoredTypes.list(of: Boxed<String>.self)) == ["String", "Array<String>"])
        #expect(StoredTypes.list(of: Hollow.self).isEmpty)
    }

    @Test func `an enum's types are those of its associated values`() {
        #expect(names(StoredTypes.list(of: Nested<Int>.Inner.self)) == ["Array<Int>"])
        #expect(names(StoredTypes.list(of: Shape.self)).first == "Double")
    }

    @Test func `a tuple's elements have their labels`() {
        let elements = StoredTypes.elements(of: (Int, b: String, Bool).self)
        #expect(elements?.map { $0.label } == [nil, "b", nil])
        #expect(names(elements?.map(\.type) ?? []) == ["Int", "String", "Bool"])
        #expect(StoredTypes.elements(of: (Int, Int).self)?.map { $0.label } == [nil, nil])
        #expect(StoredTypes.elements(of: Void.self)?.isEmpty == true)
        #expect(StoredTypes.elements(of: Int.self) == nil)
    }

    @Test func `other types tell nothing`() {
        #expect(StoredTypes.list(of: Node.self).isEmpty)
        #expect(StoredTypes.list(of: (any Error).self).isEmpty)
        #expect(StoredTypes.list(of: (() -> Int).self).isEmpty)
    }

    private func names(_ types: [Any.Type]) -> [String] { types.map { "\($0)" } }
}

struct Point {
    var x: Int
    var y: Double?
    var sum: Int { x }
}

struct Boxed<Value> {
    var value: Value
    let list: [Value]
}

struct Hollow {}
