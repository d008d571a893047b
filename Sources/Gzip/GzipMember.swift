internal import CZlib

/// The ends of a gzip member whose deflated blocks come from elsewhere, perhaps from several
/// compressors (RFC 1952 §2.3).
package struct GzipMember: Sendable {
    /// No name, no time, an unknown system.
    package static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// The checksum and the length of content, or of a part of it.
    package struct Sum: Sendable {
        fileprivate let checksum: UInt
        fileprivate let byteCount: Int

        package init(of content: Span<UInt8>) {
            checksum = unsafe content.withUnsafeBufferPointer {
                unsafe crc32_z(0, $0.baseAddress, $0.count)
            }
            byteCount = content.count
        }
    }

    private var checksum: UInt = 0
    private var byteCount: UInt32 = 0

    package init() {}

    /// The content goes on with this.
    package mutating func add(_ sum: Sum) {
        checksum = crc32_combine(checksum, sum.checksum, sum.byteCount)
        byteCount &+= UInt32(truncatingIfNeeded: sum.byteCount)
    }

    /// The last block, which is empty, and the trailer.
    package var end: [UInt8] {
        let numbers = [UInt32(truncatingIfNeeded: checksum), byteCount].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return [3, 0] + numbers
    }
}
