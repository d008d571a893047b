import Bytes

/// A date as fields spell it, in whole seconds (RFC 9110 §5.6.7):
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The form that is sent.
    package static func format(secondsSince1970 seconds: Int) -> String {
        let (day, time) = CalendarDate.divide(seconds, by: 86_400)
        let date = CalendarDate.civil(fromDay: day)
        let weekday = weekdays[((day + 3) % 7 + 7) % 7]
        return "\(weekday), \(padded(date.day)) \(months[date.month - 1]) \(padded(date.year, 4)) "
            + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
    }

    /// Reads any of the three forms that a recipient must take; nil where it is none of them.
    package static func parse(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        if words.count == 6, words[5] == "GMT" {
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        if words.count == 5, words[0].count == 3, words[3].contains(":") {
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        }
        return nil
    }

    private static func seconds(
        day: String, month: String, year: String, time: String
    ) -> Int? {
        guard [day, year, time].allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 11 } }) else {
            return nil
        }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let day = Int(day), let month = months.firstIndex(of: month), var year = Int(year),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), (0...9999).contains(year)
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let days = CalendarDate.day(year, month + 1, day)
        guard CalendarDate.civil(fromDay: days).day == day else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func padded(_ value: Int, _ width: Int = 2) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
