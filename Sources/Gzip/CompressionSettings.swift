/// The work that a compressor does, and the memory that it holds while it lives.
///
/// zlib holds 2^(window+2) + 2^(memoryLevel+9) bytes and about 6 KiB more for each open stream.
/// Compression of one-shot bodies is worth the default; a stream that
/// stays open for hours is not.
package struct CompressionSettings: Sendable, Hashable {
    /// 1 (fastest) to 9 (smallest).
    package let level: Int
    /// The logarithm of the history's length in bytes, 9 to 15.
    package let window: Int
    /// 1 (little memory, slow) to 9 (much memory, fast).
    package let memoryLevel: Int

    /// 262 KiB a stream: for bodies that are compressed at once.
    package static let standard = CompressionSettings(level: 6, window: 15, memoryLevel: 8)
    /// 26 KiB a stream: for event streams that stay open. A window of 4 KiB still finds the
    /// previous event's text when a state is a few KiB long.
    package static let stream = CompressionSettings(level: 5, window: 12, memoryLevel: 3)

    /// Precondition: each argument within the bounds stated at its property.
    package init(level: Int, window: Int, memoryLevel: Int) {
        precondition((1...9).contains(level), "a compression level is 1 to 9")
        precondition((9...15).contains(window), "a compression window is 9 to 15")
        precondition((1...9).contains(memoryLevel), "a memory level is 1 to 9")
        self.level = level
        self.window = window
        self.memoryLevel = memoryLevel
    }
}
