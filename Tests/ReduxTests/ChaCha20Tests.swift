import Testing

@testable import Redux

/// One row of RFC 8439: key, nonce and counter, and the bytes of the key stream.
private struct Vector: Sendable, CustomTestStringConvertible {
    var section: String
    var key: [UInt8]
    var nonce: [UInt8]
    var counter: UInt32
    var stream: String

    var testDescription: String { section }

    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let ascending = [UInt8](0..<32)

    private static func nonce(_ last: UInt8 = 0, middle: UInt8 = 0, first: UInt8 = 0) -> [UInt8] {
        [0, 0, 0, first, 0, 0, 0, middle, 0, 0, 0, last]
    }

    static let all = [
        Vector(
            section: "2.3.2", key: ascending, nonce: nonce(middle: 0x4a, first: 9), counter: 1,
            stream: """
                10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e
                """),
        Vector(
            section: "2.4.2", key: ascending, nonce: nonce(middle: 0x4a), counter: 1,
            stream: """
                224f51f3401bd9e12fde276fb8631ded8c131f823d2c06e27e4fcaec9ef3cf78\
                8a3b0aa372600a92b57974cded2b9334794cba40c63e34cdea212c4cf07d41b7\
                69a6749f3f630f4122cafe28ec4dc47e26d4346d70b98c73f3e9c53ac40c5945\
                398b6eda1a832c89c167eacd901d7e2bf363
                """),
        Vector(
            section: "A.1, 1", key: zeros, nonce: nonce(), counter: 0,
            stream: """
                76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586
                """),
        Vector(
            section: "A.1, 2", key: zeros, nonce: nonce(), counter: 1,
            stream: """
                9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f
                """),
        Vector(
            section: "A.1, 3", key: zeros.dropLast() + [1], nonce: nonce(), counter: 1,
            stream: """
                3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a\
                8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0
                """),
        Vector(
            section: "A.1, 4", key: [0, 0xff] + zeros.dropLast(2), nonce: nonce(), counter: 2,
            stream: """
                72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca\
                13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096
                """),
        Vector(
            section: "A.1, 5", key: zeros, nonce: nonce(2), counter: 0,
            stream: """
                c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7\
                8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d
                """),
    ]
}

private func seed(_ bytes: [UInt8]) throws -> Seed { try #require(Seed(bytes: bytes)) }

/// Bytes in the order of RFC 8439, section 2.3: each word with its lowest byte first.
private func bytes(of numbers: [UInt64]) -> [UInt8] {
    numbers.flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
}

private func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

private func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

@Suite struct `The key stream of ChaCha20` {
    @Test(arguments: Vector.all)
    fileprivate func `is that of the RFC`(vector: Vector) throws {
        let nonce = SIMD3(
            word(vector.nonce[0..<4]), word(vector.nonce[4..<8]), word(vector.nonce[8..<12]))
        var generator = ChaCha20(
            key: try seed(vector.key).words, nonce: nonce, counter: vector.counter)
        let byteCount = vector.stream.utf8.count / 2
        let numbers = (0..<(byteCount + 7) / 8).map { _ in generator.next() }
        #expect(hex(bytes(of: numbers).prefix(byteCount)) == vector.stream)
    }

    @Test func `begins at its first block, with the number of the generator as nonce`() throws {
        let seed = try seed([UInt8](0..<32))
        let number: UInt64 = 0x0000_0002_0000_0001
        var numbered = ChaCha20(seed, number: number)
        var plain = ChaCha20(key: seed.words, nonce: SIMD3(1, 2, 0), counter: 0)
        #expect((0..<20).map { _ in numbered.next() } == (0..<20).map { _ in plain.next() })
    }
}

@Suite struct `A seed` {
    @Test func `is 32 bytes, no more and no fewer`() throws {
        let bytes = [UInt8](0..<32)
        #expect(try seed(bytes).bytes == bytes)
        for count in [0, 31, 33, 64] {
            #expect(Seed(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test func `of the system never comes twice`() {
        #expect(Set((0..<1_000).map { _ in Seed.random() }).count == 1_000)
        #expect(Seed.random().bytes.count == 32)
    }
}
