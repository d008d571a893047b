import Reflection
import Testing

private enum First: String, CodingKey { case name }
private enum Second: String, CodingKey { case name }

/// Counts how often a container was made, and says which one it is.
private struct Numbered<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let number: Int
    let told: Told

    final class Told { var numbers: [Int] = [] }

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws { told.numbers.append(number) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {}

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(Numbered<Nested>(number: number, told: .init()))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        preconditionFailure("Nobody asks for it.")
    }

    mutating func superEncoder() -> any Encoder { preconditionFailure("Nobody asks for it.") }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        preconditionFailure("Nobody asks for it.")
    }
}

@Suite("A pool of containers") struct ContainerPoolTests {
    private let pool = ContainerPool()

    /// Keeps a container, and finds it.
    private func keep<Key>(_ keys: Key.Type, _ told: Numbered<Key>.Told, _ number: Int = 0) -> Int?
    {
        _ = pool.keep(KeyedEncodingContainer(Numbered<Key>(number: number, told: told)), told)
        return pool.find(ObjectIdentifier(keys))
    }

    @Test func `gives a container again that nobody holds`() throws {
        let told = Numbered<First>.Told()
        let number = try #require(keep(First.self, told, 7))
        for _ in 0..<3 {
            #expect(pool.find(ObjectIdentifier(First.self)) == number)
            var container = pool.encodingContainer(number, keyedBy: First.self)
            try container.encodeNil(forKey: .name)
        }
        #expect(told.numbers == [7, 7, 7])
    }

    @Test func `gives none that is held, in a copy as well`() throws {
        let number = try #require(keep(First.self, .init()))
        let container = pool.encodingContainer(number, keyedBy: First.self)
        #expect(pool.find(ObjectIdentifier(First.self)) == nil)
        var copies = [container, container]
        withExtendedLifetime(container) {}
        #expect(pool.find(ObjectIdentifier(First.self)) == nil)
        copies.removeAll()
        let boxed: Any = pool.encodingContainer(number, keyedBy: First.self)
        #expect(pool.find(ObjectIdentifier(First.self)) == nil)
        withExtendedLifetime((container, boxed)) {}
    }

    @Test func `gives another one by the same keys meanwhile`() throws {
        let told = Numbered<First>.Told()
        let outer = try #require(keep(First.self, told, 1))
        let container = pool.encodingContainer(outer, keyedBy: First.self)
        let inner = try #require(keep(First.self, told, 2))
        #expect(inner != outer && pool.find(ObjectIdentifier(First.self)) == inner)
        withExtendedLifetime(container) {}
    }

    @Test func `tells keys of one shape apart`() throws {
        let first = try #require(keep(First.self, .init()))
        #expect(pool.find(ObjectIdentifier(Second.self)) == nil)
        let second = try #require(keep(Second.self, .init()))
        #expect(pool.find(ObjectIdentifier(First.self)) == first)
        #expect(pool.find(ObjectIdentifier(Second.self)) == second)
    }

    @Test func `lets all go, and whoever holds one keeps it`() throws {
        let told = Numbered<First>.Told()
        let number = try #require(keep(First.self, told, 3))
        var container = pool.encodingContainer(number, keyedBy: First.self)
        pool.removeAll()
        #expect(pool.find(ObjectIdentifier(First.self)) == nil)
        try container.encodeNil(forKey: .name)
        #expect(told.numbers == [3])
    }

    @Test func `keeps some by the same keys, however many there are`() {
        var held: [KeyedEncodingContainer<First>] = []
        while let number = keep(First.self, .init()) {
            #expect(number == held.count)
            held.append(pool.encodingContainer(number, keyedBy: First.self))
        }
        #expect(held.count == 8)
    }

    @Test func `is swept of what was given out, unless somebody holds it`() throws {
        let told = [Numbered<First>.Told(), Numbered<First>.Told()]
        let number = try #require(keep(First.self, told[0], 3))
        var container = pool.encodingContainer(number, keyedBy: First.self)
        #expect(pool.target(number, as: Numbered<First>.Told.self) === told[0])
        container = KeyedEncodingContainer(Numbered<First>(number: 0, told: told[1]))
        var swept: [Numbered<First>.Told] = []
        pool.sweep(Numbered<First>.Told.self) { swept.append($0) }
        #expect(swept.map(ObjectIdentifier.init) == [ObjectIdentifier(told[0])])
        pool.sweep(Numbered<First>.Told.self) { swept.append($0) }
        #expect(swept.count == 1)
        container = pool.encodingContainer(
            try #require(pool.find(ObjectIdentifier(First.self))), keyedBy: First.self)
        pool.sweep(Numbered<First>.Told.self) { swept.append($0) }
        #expect(swept.count == 1 && pool.find(ObjectIdentifier(First.self)) == nil)
        try container.encodeNil(forKey: .name)
        #expect(told[0].numbers == [3])
    }

    @Test func `keeps nothing of a document that is about to end, until many were made`() {
        #expect((0..<10).map { _ in pool.keepsNext() } == (0..<10).map { $0 >= 8 })
        pool.close()
        #expect(!pool.keepsNext())
        #expect(ContainerPool(forMany: true).keepsNext())
    }
}
