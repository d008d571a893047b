import Bytes

extension Timestamp {
    /// `2026-11-21T09:30:00.123Z`; milliseconds where that is a million years away.
    var iso8601: String {
        CalendarDate(millisecondsSince1970: Int(milliseconds))?.description ?? "\(milliseconds)"
    }
}
