import Bytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// A value of a type that has this form, which is a scalar's.
    mutating func append<Value>(_ value: Value, as form: TypeTraits.Form) {
        switch form {
        case .string: if let string = value as? String { append(string) }
        case .integer: if let integer = value as? Int { append(integer) }
        case .boolean: if let flag = value as? Bool { append(flag) }
        case .double: if let number = value as? Double { append(number) }
        case .date: if let date = value as? Date { append(date) }
        case .url: if let url = value as? URL { append(url.absoluteString) }
        case .data: if let data = value as? Data { append(data) }
        case .decimal: if let decimal = value as? Decimal { append(decimal) }
        case .own, .collection: preconditionFailure("Only scalars are written without an encoder.")
        }
    }

    /// `"2026-11-21T07:54:26.123Z"`; years outside 0…9999 have a sign and six digits
    /// (ISO 8601, expanded); `null` if the date is not finite or not within a million years.
    mutating func append(_ date: Date) {
        guard let moment = CalendarDate(date) else { return appendNull() }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(iso8601: moment)
        bytes.append(UInt8(ascii: "\""))
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
