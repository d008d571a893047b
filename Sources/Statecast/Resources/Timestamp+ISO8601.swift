import FoundationEssentials

extension Timestamp {
    /// `2026-11-21T09:30:00.123Z`
    var iso8601: String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
