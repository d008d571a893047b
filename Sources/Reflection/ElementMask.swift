/// The bits of neighbours in an array that count, in whole vectors: as many elements as end where a
/// vector does.
///
///     struct Row { var number: Int, isDone: Bool }    four rows in one vector:
///     FFFFFFFFFFFFFFFF 00000000000000FF FFFFFFFFFFFFFFFF 00000000000000FF …
struct ElementMask: Sendable {
    private static let vectorByteCount = 64

    private let vectors: [SIMD8<UInt64>]
    /// The bytes from one element to the next.
    let stride: Int
    /// The number of elements that the vectors cover: a power of two, at most 64.
    let elementCount: Int

    /// The mask of elements of which these bytes count; nil where all do, or none.
    init?(_ ranges: [Range<Int>], stride: Int) {
        guard !ranges.isEmpty, ranges != [0..<stride] else { return nil }
        self.stride = stride
        let lowestBit = stride & -stride
        elementCount = Self.vectorByteCount / min(lowestBit, Self.vectorByteCount)
        let byteCount = elementCount * stride
        precondition(byteCount % Self.vectorByteCount == 0, "The elements fill whole vectors.")
        var vectors = Array(
            repeating: SIMD8<UInt64>.zero, count: byteCount / Self.vectorByteCount)
        for element in 0..<elementCount {
            for byte in ranges.joined() {
                let (vector, place) = (element * stride + byte)
                    .quotientAndRemainder(dividingBy: Self.vectorByteCount)
                let bits = UInt64(0xFF) << UInt64(place % 8 * 8)
                vectors[vector][place / 8] |= UInt64(littleEndian: bits)
            }
        }
        self.vectors = vectors
    }

    /// The bits that count are equal, of so many times `elementCount` elements at two addresses.
    ///
    /// The sums cannot overflow, as bytes are no more than an `Int` counts.
    func areEqual(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, times count: Int
    ) -> Bool {
        var differences = SIMD8<UInt64>.zero
        var offset = 0
        for _ in 0..<count {
            for vector in vectors {
                // 64 bytes of the elements are left at both addresses.
                let left = unsafe one.loadUnaligned(
                    fromByteOffset: offset, as: SIMD8<UInt64>.self)
                // See above.
                let right = unsafe other.loadUnaligned(
                    fromByteOffset: offset, as: SIMD8<UInt64>.self)
                differences |= (left ^ right) & vector
                offset &+= Self.vectorByteCount
            }
        }
        return differences == .zero
    }
}
