/// A part of the bytes that a message was parsed from, by offsets: valid for those bytes only.
public struct Slice: Sendable, Hashable, BitwiseCopyable {
    /// Where it begins.
    public var offset: Int32
    /// How many bytes it has.
    public var length: Int32

    /// A part from one offset up to another.
    @inlinable
    public init(_ range: Range<Int>) {
        offset = Int32(truncatingIfNeeded: range.lowerBound)
        length = Int32(truncatingIfNeeded: range.count)
    }

    /// No bytes.
    @inlinable public static var empty: Slice { Slice(0..<0) }

    /// The offsets.
    @inlinable public var range: Range<Int> { Int(offset)..<Int(offset) + Int(length) }

    /// Whether it has no bytes.
    @inlinable public var isEmpty: Bool { length == 0 }

    /// A copy of the bytes as text, repaired where they are not UTF-8.
    public func string(in bytes: Span<UInt8>) -> String {
        String(decoding: array(in: bytes), as: UTF8.self)
    }

    /// A copy of the bytes.
    public func array(in bytes: Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(Int(length))
        for index in range { copy.append(bytes[index]) }
        return copy
    }

    /// Whether the bytes are this ASCII text, letters compared without regard to case.
    public func isEqual(to text: String, in bytes: Span<UInt8>) -> Bool {
        guard text.utf8.count == Int(length) else { return false }
        var index = Int(offset)
        for byte in text.utf8 {
            guard Bytes.lowercased(byte) == Bytes.lowercased(bytes[index]) else { return false }
            index += 1
        }
        return true
    }
}
