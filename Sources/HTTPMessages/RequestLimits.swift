/// Bounds of one request head.
@usableFromInline
package struct RequestLimits: Sendable, Hashable, BitwiseCopyable {
    /// Request line and fields together; above it 431.
    @usableFromInline package var headByteCount = 32 * 1024
    /// Above it 431.
    @usableFromInline package var fieldCount = 100
    /// Above it 414.
    @usableFromInline package var targetByteCount = 8 * 1024

    /// The defaults.
    @inlinable
    package init() {}

    /// The same bounds, no larger than offsets can tell.
    @usableFromInline var representable: RequestLimits {
        var limits = self
        limits.headByteCount = min(headByteCount, 1 << 30)
        limits.targetByteCount = min(targetByteCount, 1 << 30)
        return limits
    }
}
