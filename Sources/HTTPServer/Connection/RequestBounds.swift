internal import HTTPMessages

/// Those of the limits that a single request meets.
struct RequestBounds: Sendable, BitwiseCopyable {
    var head: RequestLimits
    var bodyByteCount: Int

    init(_ limits: HTTPLimits) {
        head = RequestLimits()
        head.headByteCount = limits.headByteCount
        head.fieldCount = limits.fieldCount
        head.targetByteCount = limits.targetByteCount
        bodyByteCount = limits.bodyByteCount
    }
}
