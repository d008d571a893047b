#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment in UTC with milliseconds, by the proleptic Gregorian calendar.
struct Timestamp: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
    var millisecond: Int

    private static let millisecondsPerDay = 86_400_000
    private static let daysPerEra = 146_097

    /// `date` to the nearest millisecond; nil if it is not finite or a million years away.
    init?(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        guard exact.magnitude < 3.1e16, let milliseconds = Int(exactly: exact) else { return nil }
        let (days, rest) = Self.divide(milliseconds, by: Self.millisecondsPerDay)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
        (year, month, day) = Self.civil(days)
        guard abs(year) <= 999_999 else { return nil }
    }

    /// The moment as a `Date`.
    var date: Date {
        let time = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
        let milliseconds = Self.days(year, month, day) * Self.millisecondsPerDay + time
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Division that rounds down.
    private static func divide(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// Days since 1970-01-01; years are counted from March, so that the leap day is the last.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = divide(month <= 2 ? year - 1 : year, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divide(days + 719_468, by: daysPerEra)
        let leapless = dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096
        let yearOfEra = leapless / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
