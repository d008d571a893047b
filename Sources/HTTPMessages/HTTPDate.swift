/// A date as fields spell it, in whole seconds (RFC 9110 §5.6.7):
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The form that is sent.
    package static func format(secondsSince1970 seconds: Int) -> String {
        let day = floorDivide(seconds, 86_400)
        let time = seconds - day * 86_400
        let date = civil(fromDay: day)
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
        let days = self.day(year: year, month: month + 1, day: day)
        guard civil(fromDay: days).day == day else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01 of a date in the Gregorian calendar.
    private static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }

    private static func padded(_ value: Int, _ width: Int = 2) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
