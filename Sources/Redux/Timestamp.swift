/// Milliseconds since 1970-01-01 UTC, leap seconds left out.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Whole milliseconds.
    public var milliseconds: Int64

    /// A point of time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Earlier than.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
