#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONTape {
    /// The number at this entry as an integer, exact; nil if it is not one or does not fit.
    /// `1.0` and `1e2` are integers too.
    func integer<Integer: FixedWidthInteger>(at index: Int, _ type: Integer.Type) -> Integer? {
        let entry = entries[index]
        switch entry.kind {
        case .integer: return digits(Int(entry.start)..<Int(entry.end))
        case .number: return shifted(Int(entry.start)..<Int(entry.end))
        default: return nil
        }
    }

    /// The integer that a number with a point or an exponent stands for, by its digits: no digit
    /// is rounded away.
    private func shifted<Integer: FixedWidthInteger>(_ range: Range<Int>) -> Integer? {
        let text = bytes.span.extracting(range)
        var digits: [UInt8] = []
        var shift = 0
        var zeros = 0
        var isFraction = false
        var index = text[0] == UInt8(ascii: "-") ? 1 : 0
        while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
            defer { index += 1 }
            guard text[index] != UInt8(ascii: ".") else {
                isFraction = true
                continue
            }
            if isFraction { shift -= 1 }
            if text[index] == UInt8(ascii: "0") {
                zeros += 1
                continue
            }
            if !digits.isEmpty {
                guard digits.count + zeros < Self.greatestDigitCount else { return nil }
                digits.append(contentsOf: repeatElement(0x30, count: zeros))
            }
            zeros = 0
            digits.append(text[index])
        }
        guard !digits.isEmpty else { return 0 }
        shift += zeros + exponent(text, behind: index)
        guard shift >= 0, digits.count + shift <= Self.greatestDigitCount else { return nil }
        if text[0] == UInt8(ascii: "-") { digits.insert(text[0], at: 0) }
        digits.append(contentsOf: repeatElement(0x30, count: shift))
        return Integer(String(decoding: digits, as: UTF8.self))
    }

    /// The number behind an `e`, 0 where there is none; one beyond all numbers is cut.
    private func exponent(_ text: Span<UInt8>, behind mark: Int) -> Int {
        var value = 0
        var isNegative = false
        for index in mark..<text.count {
            switch text[index] {
            case UInt8(ascii: "-"): isNegative = true
            case let byte where byte >= 0x30 && byte <= 0x39:
                value = min(value * 10 + Int(byte - 0x30), 1 << 40)
            default: break
            }
        }
        return isNegative ? -value : value
    }

    /// As many as the widest integer type has.
    private static var greatestDigitCount: Int { 39 }

    private func digits<Integer: FixedWidthInteger>(_ range: Range<Int>) -> Integer? {
        let text = bytes.span.extracting(range)
        let isNegative = text[0] == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        for index in (isNegative ? 1 : 0)..<text.count {
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
            let digit = UInt64(text[index] &- 0x30)
            let (sum, isOver) = product.addingReportingOverflow(digit)
            guard !isTooLarge, !isOver else {
                return Integer(JSONText.string(text, isEscaped: false))
            }
            magnitude = sum
        }
        guard isNegative else { return Integer(exactly: magnitude) }
        if magnitude == UInt64(Int64.min.magnitude) { return Integer(exactly: Int64.min) }
        return Int64(exactly: magnitude).flatMap { Integer(exactly: -$0) }
    }

    /// The number at this entry, correctly rounded; nil if it is none or too large.
    func double(at index: Int) -> Double? {
        let entry = entries[index]
        guard entry.kind == .integer || entry.kind == .number else { return nil }
        let text = bytes.span.extracting(Int(entry.start)..<Int(entry.end))
        if let exact = Self.exactDouble(text) { return exact }
        let number = Double(JSONText.string(text, isEscaped: false))
        return number?.isFinite == true ? number : nil
    }

    /// The number at this entry as a `Float`, rounded once.
    func float(at index: Int) -> Float? {
        let entry = entries[index]
        guard entry.kind == .integer || entry.kind == .number else { return nil }
        let text = bytes.span.extracting(Int(entry.start)..<Int(entry.end))
        let number = Float(JSONText.string(text, isEscaped: false))
        return number?.isFinite == true ? number : nil
    }

    /// The number at this entry with all its digits (38 at most).
    func decimal(at index: Int) -> Decimal? {
        let entry = entries[index]
        guard entry.kind == .integer || entry.kind == .number else { return nil }
        let text = bytes.span.extracting(Int(entry.start)..<Int(entry.end))
        return Decimal(string: JSONText.string(text, isEscaped: false))
    }

    /// Up to 2⁵³ and 10²² both factors are exact, so that one operation rounds correctly
    /// (W. D. Clinger, How to Read Floating Point Numbers Accurately).
    private static func exactDouble(_ text: Span<UInt8>) -> Double? {
        var mantissa: UInt64 = 0
        var fraction = 0
        var isFraction = false
        let isNegative = text[0] == UInt8(ascii: "-")
        guard text.count <= 18 else { return nil }
        for index in (isNegative ? 1 : 0)..<text.count {
            switch text[index] {
            case UInt8(ascii: "."): isFraction = true
            case let byte where byte >= 0x30 && byte <= 0x39:
                mantissa = mantissa &* 10 &+ UInt64(byte - 0x30)
                if isFraction { fraction += 1 }
            default: return nil
            }
        }
        guard mantissa <= 1 << 53, fraction < powersOfTen.count else { return nil }
        let magnitude = Double(mantissa) / powersOfTen[fraction]
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
