extension CalendarDate {
    /// Reads ISO 8601: `2026-11-21T07:54:26.123Z`, with or without a fraction (of up to nine
    /// digits, cut to milliseconds), `Z` or an offset like `+02:00`, or years of a sign and six
    /// digits; nil if it is not that, or no day of the calendar.
    package init?(parsing text: String) {
        var reader = DigitReader(text.utf8)
        var sign = 1
        if reader.skip("-") { sign = -1 } else if !reader.skip("+") { sign = 0 }
        guard let years = reader.number(digits: sign == 0 ? 4 : 6), reader.skip("-"),
            let month = reader.number(digits: 2), (1...12).contains(month), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60
        else { return nil }
        year = sign < 0 ? -years : years
        (self.month, self.day, self.hour, self.minute, self.second) =
            (month, day, hour, minute, second)
        millisecond = 0
        let monthLength =
            Self.day(month == 12 ? year + 1 : year, month % 12 + 1, 1)
            - Self.day(year, month, 1)
        guard (1...monthLength).contains(day) else { return nil }
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            millisecond = fraction
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        if offset != 0 {
            let milliseconds = millisecondsSince1970 - offset * 60_000
            guard let moment = CalendarDate(millisecondsSince1970: milliseconds) else { return nil }
            self = moment
        }
    }
}

/// Reads fixed numbers of digits.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String.UTF8View) {
        rest = text[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, Unicode.Scalar(byte) == character else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digit() -> Int? {
        guard let byte = rest.first, byte >= 0x30, byte <= 0x39 else { return nil }
        rest.removeFirst()
        return Int(byte - 0x30)
    }

    mutating func number(digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// One to nine digits as milliseconds.
    mutating func fraction() -> Int? {
        var milliseconds = 0
        var weight = 100
        var count = 0
        while count < 10, let digit = digit() {
            milliseconds += digit * weight
            weight /= 10
            count += 1
        }
        return (1...9).contains(count) ? milliseconds : nil
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("-") ? -1 : 1
        guard sign < 0 || skip("+"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
