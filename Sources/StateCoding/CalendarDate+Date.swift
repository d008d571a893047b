import Bytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CalendarDate {
    /// The moment of a date, to the nearest millisecond; nil if it is not finite or about a million
    /// years away.
    init?(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        guard let milliseconds = Int(exactly: exact) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    /// The moment as Foundation has it.
    var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}
