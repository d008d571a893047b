import Testing

@testable import Gzip

/// Compressible, but not to nothing: words by a fixed generator.
func text(_ count: Int) -> [UInt8] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(ascii: "a") + UInt8((state >> 60) & 7)
    }
}

/// The gzip form of an array.
func pack(_ bytes: [UInt8]) -> [UInt8] { gzip(bytes.span) }

/// The content of gzip members in an array.
func unpack(_ bytes: [UInt8], limit: Int = 1_000) throws(DecompressionFailure) -> [UInt8] {
    try gunzip(bytes.span, limit: limit)
}

@Suite struct OneShotTests {
    @Test(arguments: [0, 1, 2, 100, 1_000, 65_535, 65_536, 150_000])
    func `what was compressed comes back`(_ count: Int) throws {
        let original = text(count)
        for level in [1, 6, 9] {
            let packed = gzip(original.span, level: level)
            #expect(try unpack(packed, limit: count) == original)
        }
    }

    @Test func `a gzip member begins with its magic number`() {
        #expect(Array(pack([]).prefix(3)) == [0x1f, 0x8b, 8])
    }

    @Test func `text becomes smaller`() {
        #expect(pack(text(10_000)).count < 5_000)
    }

    @Test func `one byte less than the content is too little`() {
        let packed = pack(text(1_000))
        #expect(throws: DecompressionFailure.tooLong(limit: 999)) {
            try unpack(packed, limit: 999)
        }
    }

    @Test func `a bomb stops at the limit`() throws {
        let bomb = pack([UInt8](repeating: 0, count: 50_000_000))
        #expect(bomb.count < 100_000)
        var output: [UInt8] = []
        var decompressor = GzipDecompressor(outputLimit: 10_000)
        do {
            try decompressor.decompress(bomb.span, into: &output)
            Issue.record("the bomb went through")
        } catch {
            #expect(error == .tooLong(limit: 10_000))
        }
        #expect(output.count == 10_000)
        #expect(output.capacity < 1_000_000)
    }

    @Test func `every shortened input is refused`() {
        let packed = pack(text(300))
        for length in 0..<packed.count {
            #expect(throws: DecompressionFailure.truncated) {
                try unpack(Array(packed[..<length]))
            }
        }
    }

    @Test func `a changed byte is never taken for the original`() {
        let original = text(300)
        let packed = pack(original)
        for index in packed.indices {
            var changed = packed
            changed[index] ^= 0x10
            // Time, system and level of the header are not covered by a checksum.
            if (4...9).contains(index) || index == 3 { continue }
            #expect(throws: DecompressionFailure.self) {
                try unpack(changed, limit: 1_000)
            }
        }
    }

    @Test func `members are joined`() throws {
        let joined = pack(text(100)) + pack([]) + pack([1, 2, 3])
        #expect(try unpack(joined, limit: 103) == text(100) + [1, 2, 3])
    }

    @Test func `the limit counts over all members`() {
        let joined = pack(text(100)) + pack(text(100))
        #expect(throws: DecompressionFailure.tooLong(limit: 150)) {
            try unpack(joined, limit: 150)
        }
    }

    @Test(arguments: [[0], [0x1e, 0x8b], Array("garbage".utf8)] as [[UInt8]])
    func `trailing garbage is refused`(_ garbage: [UInt8]) {
        let packed = pack(text(100)) + garbage
        #expect(throws: DecompressionFailure.trailingGarbage) {
            try unpack(packed, limit: 1_000)
        }
    }

    @Test func `the zlib form of a byte is no gzip member`() {
        let zlib: [UInt8] = [0x78, 0x9c, 0x63, 0x04, 0x00, 0x00, 0x02, 0x00, 0x02]
        #expect(throws: DecompressionFailure.self) { try unpack(zlib) }
    }
}
