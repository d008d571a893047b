import Reflection
import Testing

@Suite("The identity of an array") struct ArrayIdentityTests {
    private let words = ["one", "two", "three"]

    @Test func `is that of its copies, until one of them changes`() {
        let identity = ArrayIdentity(of: words)
        var copy = words
        #expect(ArrayIdentity(of: copy) == identity)
        copy[0] = "another"
        #expect(ArrayIdentity(of: copy) != identity)
        #expect(ArrayIdentity(of: words) == identity)
    }

    @Test func `is not that of an equal array with storage of its own`() {
        #expect(ArrayIdentity(of: words.map { $0 }) != ArrayIdentity(of: words))
    }

    @Test func `changes with the number of elements, where they stay in their place`() {
        var numbers = [1, 2]
        numbers.reserveCapacity(10)
        let identity = ArrayIdentity(of: numbers)
        numbers.append(3)
        #expect(ArrayIdentity(of: numbers) != identity)
    }
}
