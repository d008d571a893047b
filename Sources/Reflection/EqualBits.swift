/// Compares values of one type by the bits that hold them, without asking the type.
///
/// Two values of one type with equal bits are the same value, as long as one of them is kept: a
/// reference in them leads to the same storage, which cannot be freed and used again meanwhile, and
/// which is copied before it changes. So whatever depends on the value alone, as its encoding does,
/// is the same for both. The reverse does not hold: bits between properties are anything, and equal
/// texts may have storage of their own. Values that are known to be equal are found here; others
/// have to be looked at.
package enum EqualBits {
    /// The elements that are compared at once.
    private static let blockCount = 64

    /// Both values have the same bits.
    package static func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
        // The bytes of each are read within the closure that is lent them.
        unsafe withUnsafeBytes(of: one) { left in
            unsafe withUnsafeBytes(of: other) { right in
                unsafe areEqual(left, right, 0..<MemoryLayout<Value>.size, 0)
            }
        }
    }

    /// The number of elements from two places on that have the same bits, at most so many.
    package static func equalCount<Element>(
        _ one: [Element], from start: Int, _ other: [Element], from otherStart: Int, limit: Int
    ) -> Int {
        precondition(
            limit >= 0 && start >= 0 && otherStart >= 0 && start + limit <= one.count
                && otherStart + limit <= other.count, "What is compared stands in both arrays.")
        let stride = MemoryLayout<Element>.stride
        // The bytes of each array are read within the closure that is lent them.
        return unsafe one.withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                // Both ranges stand within their arrays, see above.
                unsafe equalCount(
                    left, from: start * stride, right, from: otherStart * stride, limit: limit,
                    stride: stride, lastSize: MemoryLayout<Element>.size)
            }
        }
    }

    /// The number of elements at the ends of two arrays that have the same bits, at most so many.
    package static func equalTailCount<Element>(
        _ one: [Element], _ other: [Element], limit: Int
    ) -> Int {
        precondition(
            limit >= 0 && limit <= min(one.count, other.count),
            "What is compared stands in both arrays.")
        var count = 0
        while count < limit {
            let size = min(blockCount, limit - count)
            let (here, there) = (one.count - count - size, other.count - count - size)
            if equalCount(one, from: here, other, from: there, limit: size) == size {
                count += size
                continue
            }
            let end = count + size
            while count < end,
                equalCount(
                    one, from: one.count - count - 1, other, from: other.count - count - 1,
                    limit: 1) == 1
            { count += 1 }
            break
        }
        return count
    }

    private static func equalCount(
        _ one: UnsafeRawBufferPointer, from start: Int, _ other: UnsafeRawBufferPointer,
        from otherStart: Int, limit: Int, stride: Int, lastSize: Int
    ) -> Int {
        /// Some elements are equal, up to the last bit of the last one.
        func areEqual(at element: Int, count: Int) -> Bool {
            let offset = element * stride
            let bytes = start + offset..<start + offset + (count - 1) * stride + lastSize
            // The callers ask for elements below the limit, which stand in both arrays.
            return unsafe Self.areEqual(one, other, bytes, otherStart + offset)
        }
        guard limit > 0, areEqual(at: 0, count: 1) else { return 0 }
        var count = 1
        while count < limit {
            let size = min(blockCount, limit - count)
            if areEqual(at: count, count: size) {
                count += size
                continue
            }
            let end = count + size
            while count < end, areEqual(at: count, count: 1) { count += 1 }
            break
        }
        return count
    }

    /// A range of bytes is equal to that which begins at a place of others.
    @inline(__always)
    private static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ range: Range<Int>,
        _ start: Int
    ) -> Bool {
        guard !range.isEmpty, let left = one.baseAddress, let right = other.baseAddress else {
            return true
        }
        // The callers give ranges within both.
        return unsafe areEqual(left + range.lowerBound, right + start, range.count)
    }

    /// So many bytes at two addresses are equal: eight at a time, all of them at once.
    private static func areEqual(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int
    ) -> Bool {
        var difference: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            // Eight bytes are left at both addresses.
            difference |= unsafe one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            // One byte is left at both addresses.
            let bits = unsafe one.load(fromByteOffset: offset, as: UInt8.self)
                ^ other.load(fromByteOffset: offset, as: UInt8.self)
            difference |= UInt64(bits)
            offset += 1
        }
        return difference == 0
    }
}
