/// A moment in UTC with milliseconds, by the proleptic Gregorian calendar.
package struct CalendarDate: Equatable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var millisecond: Int

    private static let millisecondsPerDay = 86_400_000
    private static let daysPerEra = 146_097

    /// The moment so many milliseconds after 1970 began; nil where that is about a million years
    /// away.
    package init?(millisecondsSince1970 milliseconds: Int) {
        guard milliseconds.magnitude < 31_000_000_000_000_000 else { return nil }
        let (days, rest) = Self.divide(milliseconds, by: Self.millisecondsPerDay)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
        (year, month, day) = Self.civil(fromDay: days)
        guard abs(year) <= 999_999 else { return nil }
    }

    /// The distance from the beginning of 1970, before which it is negative.
    package var millisecondsSince1970: Int {
        let time = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
        return Self.day(year, month, day) * Self.millisecondsPerDay + time
    }

    /// The day's number, 0 for 1970-01-01. Years are counted from March, so that the leap day is
    /// the last.
    package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = divide(month <= 2 ? year - 1 : year, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - 719_468
    }

    /// The date of the day with this number.
    package static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divide(day + 719_468, by: daysPerEra)
        let leapless = dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096
        let yearOfEra = leapless / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Division that rounds down.
    package static func divide(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

extension CalendarDate: CustomStringConvertible {
    /// `2026-11-21T07:54:26.123Z`
    package var description: String {
        var bytes: [UInt8] = []
        bytes.append(iso8601: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends `2026-11-21T07:54:26.123Z`; years outside 0…9999 have a sign and six digits
    /// (ISO 8601, expanded).
    package mutating func append(iso8601 date: CalendarDate) {
        if (0...9999).contains(date.year) {
            append(decimal: date.year, width: 4)
        } else {
            append(date.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
            append(decimal: abs(date.year), width: 6)
        }
        append(UInt8(ascii: "-"))
        append(decimal: date.month, width: 2)
        append(UInt8(ascii: "-"))
        append(decimal: date.day, width: 2)
        append(UInt8(ascii: "T"))
        append(decimal: date.hour, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: date.minute, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: date.second, width: 2)
        append(UInt8(ascii: "."))
        append(decimal: date.millisecond, width: 3)
        append(UInt8(ascii: "Z"))
    }
}
