import Bytes
import Testing

@Suite struct CalendarDateTests {
    private static let table: [(Int, String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_795_255_166_123, "2026-11-21T09:59:26.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
        (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
    ]

    @Test(arguments: table)
    func `a moment is written and read back`(milliseconds: Int, text: String) throws {
        let date = try #require(CalendarDate(millisecondsSince1970: milliseconds))
        #expect(date.description == text)
        #expect(date.millisecondsSince1970 == milliseconds)
        #expect(CalendarDate(parsing: text) == date)
    }

    @Test func `a moment a million years away is none`() {
        #expect(CalendarDate(millisecondsSince1970: .max) == nil)
        #expect(CalendarDate(millisecondsSince1970: .min) == nil)
        #expect(CalendarDate(millisecondsSince1970: 31_000_000_000_000_000) == nil)
    }

    @Test func `every day follows the one before it`() {
        var last = CalendarDate.civil(fromDay: -800_000)
        for day in -799_999..<800_000 {
            let date = CalendarDate.civil(fromDay: day)
            let follows =
                date.day == last.day + 1 && date.month == last.month && date.year == last.year
                || date.day == 1 && last.day >= 28
                    && date.year * 12 + date.month == last.year * 12 + last.month + 1
            #expect(follows)
            #expect(CalendarDate.day(date.year, date.month, date.day) == day)
            last = date
        }
    }

    @Test(arguments: [
        ("2026-11-21T07:54:26Z", "2026-11-21T07:54:26.000Z"),
        ("2026-11-21t07:54:26.1z", "2026-11-21T07:54:26.100Z"),
        ("2026-11-21T07:54:26.123456789Z", "2026-11-21T07:54:26.123Z"),
        ("2026-11-21T00:30:00+02:00", "2026-11-20T22:30:00.000Z"),
        ("2026-12-31T23:30:00-01:30", "2027-01-01T01:00:00.000Z"),
    ])
    func `other forms of ISO 8601 are read`(text: String, wanted: String) {
        #expect(CalendarDate(parsing: text)?.description == wanted)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T07:54:26", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+0200", "26-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z ", "+2026-01-01T00:00:00Z",
    ])
    func `all else is no moment`(text: String) {
        #expect(CalendarDate(parsing: text) == nil)
    }
}
