import Bytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DocumentDecoder {
    func string(at place: Place) throws -> String {
        let index = try entry(place)
        switch tape.entries[index].kind {
        case .string, .escapedString: return tape.string(at: index)
        default: throw mismatch(String.self, "A string", place)
        }
    }

    func bool(at place: Place) throws -> Bool {
        switch tape.entries[try entry(place)].kind {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self, "true or false", place)
        }
    }

    func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type, at place: Place
    ) throws -> Integer {
        guard let integer = tape.integer(at: try entry(place), type) else {
            let range = Integer.bitWidth > 64 ? "" : " from \(Integer.min) to \(Integer.max)"
            throw mismatch(type, "An integer\(range)", place)
        }
        return integer
    }

    func double(at place: Place) throws -> Double {
        guard let number = tape.double(at: try entry(place)) else {
            throw mismatch(Double.self, "A number", place)
        }
        return number
    }

    func float(at place: Place) throws -> Float {
        guard let number = tape.float(at: try entry(place)) else {
            throw mismatch(Float.self, "A number", place)
        }
        return number
    }

    func date(at place: Place) throws -> Date {
        guard let moment = CalendarDate(parsing: try string(at: place)) else {
            throw mismatch(Date.self, "A date like 2026-01-31T12:00:00.000Z", place)
        }
        return moment.date
    }

    func url(at place: Place) throws -> URL {
        guard let url = URL(string: try string(at: place)) else {
            throw mismatch(URL.self, "A URL", place)
        }
        return url
    }

    func data(at place: Place) throws -> Data {
        guard let data = Data(base64Encoded: try string(at: place)) else {
            throw mismatch(Data.self, "Base64 text", place)
        }
        return data
    }

    func decimal(at place: Place) throws -> Decimal {
        guard let decimal = tape.decimal(at: try entry(place)) else {
            throw mismatch(Decimal.self, "A number", place)
        }
        return decimal
    }

    private func entry(_ place: Place) throws -> Int {
        guard place.index >= 0 else { throw missing(at: place) }
        return Int(place.index)
    }
}
