#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// `"2026-11-21T07:54:26.123Z"`; years outside 0…9999 have a sign and six digits
    /// (ISO 8601, expanded); `null` if the date is not finite or not within a million years.
    mutating func append(_ date: Date) {
        guard let moment = Timestamp(date) else { return appendNull() }
        bytes.append(UInt8(ascii: "\""))
        if (0...9999).contains(moment.year) {
            append(moment.year, width: 4)
        } else {
            bytes.append(moment.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
            append(abs(moment.year), width: 6)
        }
        bytes.append(UInt8(ascii: "-"))
        append(moment.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        append(moment.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        append(moment.hour, width: 2)
        bytes.append(UInt8(ascii: ":"))
        append(moment.minute, width: 2)
        bytes.append(UInt8(ascii: ":"))
        append(moment.second, width: 2)
        bytes.append(UInt8(ascii: "."))
        append(moment.millisecond, width: 3)
        append(literal: #"Z""#)
    }

    /// Base64 with padding (RFC 4648 §4).
    mutating func append(_ data: Data) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: data.base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }

    /// All digits; `null` if it is not a number.
    mutating func append(_ decimal: Decimal) {
        if decimal.isNaN {
            appendNull()
        } else {
            bytes.append(contentsOf: decimal.description.utf8)
        }
    }
}
