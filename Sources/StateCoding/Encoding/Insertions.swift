import Bytes

/// Bytes that are put into others where a placeholder stands for them.
enum Insertions {
    /// Stands for what is inserted: a JSON value of one byte.
    static let placeholder = UInt8(ascii: "0")

    /// The bytes with each insertion in place of the placeholder at its offset, which is one of
    /// `bytes` as they are; the offsets ascend.
    static func apply(
        _ insertions: [(offset: Int, content: [UInt8])], to bytes: Span<UInt8>
    ) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        for (offset, content) in insertions {
            precondition(offset >= copied, "Insertions stand in the order of their offsets.")
            precondition(bytes[offset] == placeholder, "A placeholder stands for an insertion.")
            result.append(copying: bytes.extracting(copied..<offset))
            result += content
            copied = offset + 1
        }
        result.append(copying: bytes.extracting(copied...))
        return result
    }
}
