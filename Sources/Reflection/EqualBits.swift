/// Compares values of one type by the bits that hold them, without asking the type.
///
/// Two values of one type with equal bits are the same value, as long as one of them is kept: a
/// reference in them leads to the same storage, which cannot be freed and used again meanwhile, and
/// which is copied before it changes. So whatever depends on the value alone, as its encoding does,
/// is the same for both. The reverse does not hold: equal texts may have storage of their own.
/// Values that are known to be equal are found here; others have to be looked at.
package struct EqualBits: Sendable {
    /// The bits that count in eight elements in a row, which are as many words as an element takes
    /// bytes. Bytes between the properties of an element mean nothing, and a copy of it need not have
    /// the same ones.
    ///
    ///     struct Row { var flag: Bool; var text: String }     0x00000000000000FF, ~0, ~0, …
    private let mask: [UInt64]

    /// The elements that are compared at once, at most.
    private static let blockCount = 64

    /// Compares values of a type; slow to make, so it is best kept.
    package init<Value>(of type: Value.Type) {
        let stride = MemoryLayout<Value>.stride
        var bytes = [UInt8](repeating: 0, count: stride)
        Self.mark(type, at: 0, in: &bytes)
        mask = (0..<stride).map { word in
            (0..<8).reduce(0) { $0 | UInt64(bytes[(word * 8 + $1) % stride]) << ($1 * 8) }
        }.map(UInt64.init(littleEndian:))
    }

    /// The one word that a collection is: two that are kept have the same storage where that is equal.
    package static func storage<Collection>(of collection: Collection) -> UInt {
        precondition(
            MemoryLayout<Collection>.size == MemoryLayout<UInt>.size, "A collection is one word.")
        // The bytes are read within the closure that is lent them, as many as were asked for above.
        return unsafe withUnsafeBytes(of: collection) { unsafe $0.load(as: UInt.self) }
    }

    /// The number of elements from two places on that have the same bits, at most so many.
    package func equalCount<Element>(
        _ one: [Element], from start: Int, _ other: [Element], from otherStart: Int, limit: Int
    ) -> Int {
        precondition(
            limit >= 0 && start >= 0 && otherStart >= 0 && start + limit <= one.count
                && otherStart + limit <= other.count, "What is compared stands in both arrays.")
        return equalCount(one, other, limit: limit) { count, _ in
            (start + count, otherStart + count)
        }
    }

    /// The number of elements at the ends of two arrays that have the same bits, at most so many.
    package func equalTailCount<Element>(
        _ one: [Element], _ other: [Element], limit: Int
    ) -> Int {
        precondition(
            limit <= min(one.count, other.count), "What is compared stands in both arrays.")
        return equalCount(one, other, limit: limit) { count, size in
            (one.count - count - size, other.count - count - size)
        }
    }

    /// - Parameter places: those of so many elements behind others that are equal, in both arrays.
    @inline(__always)
    private func equalCount<Element>(
        _ one: [Element], _ other: [Element], limit: Int,
        places: (_ count: Int, _ size: Int) -> (Int, Int)
    ) -> Int {
        let stride = MemoryLayout<Element>.stride
        precondition(mask.count == stride, "The elements are of the type.")
        // The bytes of each array are read within the closure that is lent them.
        return unsafe one.withUnsafeBytes { left in
            // See above.
            unsafe other.withUnsafeBytes { right in
                var (count, block) = (0, 1)
                while count < limit, let left = left.baseAddress, let right = right.baseAddress {
                    let size = min(block, limit - count)
                    let (here, there) = places(count, size)
                    // The callers ask for elements that stand in both arrays.
                    if unsafe areEqual(left + here * stride, right + there * stride, size * stride)
                    {
                        count += size
                        block = min(block * 2, Self.blockCount)
                    } else if size > 1 {
                        block = 1
                    } else {
                        break
                    }
                }
                return count
            }
        }
    }

    /// So many bytes from two places on are equal in the bits that count: all are looked at, a word at
    /// a time.
    ///
    /// The sums cannot overflow, as bytes are no more than an `Int` counts, and are not checked for
    /// it: with a check each the loop takes three times as long.
    private func areEqual(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int
    ) -> Bool {
        // The caller gives places with so many bytes behind them; the mask is read within the closure.
        unsafe mask.withUnsafeBufferPointer { mask in
            var difference: UInt64 = 0
            var offset = 0
            while offset < byteCount {
                let count = min(mask.count, (byteCount &- offset) / 8)
                for word in 0..<count {
                    // Eight bytes are left at both places.
                    let one = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    // See above.
                    let two = unsafe right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    // There are at least so many words.
                    difference |= unsafe (one ^ two) & mask[word]
                    offset &+= 8
                }
                guard count < mask.count else { continue }
                // Fewer than eight bytes are left, all of the next word's.
                let bits = unsafe UInt64(littleEndian: mask[count])
                for byte in 0..<byteCount &- offset {
                    // One byte is left at both places.
                    let one = unsafe left.load(fromByteOffset: offset &+ byte, as: UInt8.self)
                    // See above.
                    let two = unsafe right.load(fromByteOffset: offset &+ byte, as: UInt8.self)
                    difference |= UInt64(one ^ two) << UInt64(byte * 8) & bits
                }
                break
            }
            return difference == 0
        }
    }

    // MARK: The bytes that count

    /// Marks the bytes that the stored properties of a value take; all bytes, wherever the compiler
    /// does not tell.
    private static func mark<Value>(_ type: Value.Type, at start: Int, in bytes: inout [UInt8]) {
        guard let properties = properties(of: type) else {
            for byte in start..<start + MemoryLayout<Value>.size { bytes[byte] = 0xFF }
            return
        }
        for (offset, type) in properties { mark(type, at: start + offset, in: &bytes) }
    }

    /// The stored properties of a struct, with their offsets; nil for what has no bytes between
    /// properties, or does not tell of them: then all its bytes count.
    private static func properties<Value>(of type: Value.Type) -> [(offset: Int, type: Any.Type)]? {
        guard MemoryLayout<Value>.size > MemoryLayout<Value>.alignment,
            let nominal = NominalType(type), nominal.kind == .structure,
            let offsets = nominal.offsets, let fields = nominal.fields,
            fields.count == offsets.count
        else { return nil }
        var end = 0
        var properties: [(offset: Int, type: Any.Type)] = []
        for (offset, field) in zip(offsets, fields) {
            guard let type = field.type, offset >= end else { return nil }
            end = offset + size(of: type)
            properties.append((offset, type))
        }
        return end == MemoryLayout<Value>.size ? properties : nil
    }

    private static func size(of type: Any.Type) -> Int {
        func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }
}
