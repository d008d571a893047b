/// Compares values of one type by the bits that hold them, without asking the type.
///
/// Two values of one type with equal bits are the same value, as long as one of them is kept: a
/// reference in them leads to the same storage, which cannot be freed and used again meanwhile, and
/// which is copied before it changes. So whatever depends on the value alone, as its encoding does,
/// is the same for both. The reverse does not hold: equal texts may have storage of their own.
/// Values that are known to be equal are found here; others have to be looked at.
package struct EqualBits: Sendable {
    /// The bytes of a value that count: those between its properties mean nothing.
    private let ranges: [Range<Int>]
    /// All bytes count of elements in a row.
    private let isDense: Bool

    /// The elements that are compared at once.
    private static let blockCount = 64

    /// Compares values of a type; slow to make, so it is best kept.
    package init<Value>(of type: Value.Type) {
        ranges = StoredBytes.ranges(of: type)
        isDense = ranges == [0..<MemoryLayout<Value>.stride]
    }

    /// Both values, which are of the type, have the same bits.
    package func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
        precondition(
            ranges.last?.upperBound ?? 0 <= MemoryLayout<Value>.size, "The value is of the type.")
        // The bytes of each are read within the closure that is lent them.
        return unsafe withUnsafeBytes(of: one) { left in
            unsafe withUnsafeBytes(of: other) { right in
                ranges.allSatisfy { range in
                    // The range stands within a value.
                    unsafe Self.areEqual(
                        left, range.lowerBound, right, range.lowerBound, range.count)
                }
            }
        }
    }

    /// Both values have the same bits, also between their properties: for values of one word.
    package static func haveSameStorage<Value>(_ one: Value, _ other: Value) -> Bool {
        // The bytes of each are read within the closure that is lent them.
        unsafe withUnsafeBytes(of: one) { left in
            unsafe withUnsafeBytes(of: other) { right in
                unsafe areEqual(left, 0, right, 0, MemoryLayout<Value>.size)
            }
        }
    }

    /// The number of elements from two places on that have the same bits, at most so many.
    package func equalCount<Element>(
        _ one: [Element], from start: Int, _ other: [Element], from otherStart: Int, limit: Int
    ) -> Int {
        precondition(
            limit >= 0 && start >= 0 && otherStart >= 0 && start + limit <= one.count
                && otherStart + limit <= other.count, "What is compared stands in both arrays.")
        precondition(
            ranges.last?.upperBound ?? 0 <= MemoryLayout<Element>.size, "They are of the type.")
        let stride = MemoryLayout<Element>.stride
        // The bytes of each array are read within the closure that is lent them.
        return unsafe one.withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                // Both ranges stand within their arrays, see above.
                unsafe equalCount(
                    left, from: start * stride, right, from: otherStart * stride, limit: limit,
                    stride: stride)
            }
        }
    }

    /// The number of elements at the ends of two arrays that have the same bits, at most so many.
    package func equalTailCount<Element>(
        _ one: [Element], _ other: [Element], limit: Int
    ) -> Int {
        var count = 0
        while count < limit {
            // The first one is compared alone, and then a block.
            let size = min(1 + Self.blockCount, limit - count)
            let (here, there) = (one.count - count - size, other.count - count - size)
            if equalCount(one, from: here, other, from: there, limit: size) == size {
                count += size
                continue
            }
            while equalCount(
                one, from: one.count - count - 1, other, from: other.count - count - 1, limit: 1)
                == 1
            { count += 1 }
            break
        }
        return count
    }

    private func equalCount(
        _ one: UnsafeRawBufferPointer, from start: Int, _ other: UnsafeRawBufferPointer,
        from otherStart: Int, limit: Int, stride: Int
    ) -> Int {
        /// So many elements are equal, in the bytes that count.
        func areEqual(at element: Int, count: Int) -> Bool {
            let offset = element * stride
            // The callers ask for elements below the limit, which stand in both arrays.
            return unsafe areNeighboursEqual(
                one, from: start + offset, other, from: otherStart + offset, count: count, stride)
        }
        guard limit > 0, areEqual(at: 0, count: 1) else { return 0 }
        var count = 1
        while count < limit {
            let end = min(count + Self.blockCount, limit)
            if areEqual(at: count, count: end - count) {
                count = end
                continue
            }
            while count < end, areEqual(at: count, count: 1) { count += 1 }
            if count < end { break }
        }
        return count
    }

    /// So many elements from two places on have the same bits.
    private func areNeighboursEqual(
        _ one: UnsafeRawBufferPointer, from start: Int, _ other: UnsafeRawBufferPointer,
        from otherStart: Int, count: Int, _ stride: Int
    ) -> Bool {
        // The callers ask for elements that stand in both arrays.
        if isDense { return unsafe Self.areEqual(one, start, other, otherStart, count * stride) }
        for offset in Swift.stride(from: 0, to: count * stride, by: stride) {
            for range in ranges {
                let place = offset + range.lowerBound
                // See above.
                guard
                    unsafe Self.areEqual(
                        one, start + place, other, otherStart + place, range.count)
                else { return false }
            }
        }
        return true
    }

    /// So many bytes from two places on are equal: eight at a time, all of them at once.
    ///
    /// The sums cannot overflow, as bytes are no more than an `Int` counts, and are not checked for
    /// it: with a check each the loop takes three times as long.
    private static func areEqual(
        _ one: UnsafeRawBufferPointer, _ start: Int, _ other: UnsafeRawBufferPointer,
        _ otherStart: Int, _ count: Int
    ) -> Bool {
        guard count > 0, let one = one.baseAddress, let other = other.baseAddress else {
            return true
        }
        // The callers give places within both, with so many bytes behind them.
        let (left, right) = unsafe (one + start, other + otherStart)
        var difference: UInt64 = 0
        var offset = 0
        while offset <= count &- 8 {
            // Eight bytes are left at both addresses.
            let word = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // See above.
            difference |= unsafe word ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            // One byte is left at both addresses.
            let byte = unsafe left.load(fromByteOffset: offset, as: UInt8.self)
            // See above.
            difference |= UInt64(unsafe byte ^ right.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        return difference == 0
    }
}
