import Bytes

/// A number of at most 15 digits, of which at most six stand behind the point: `-12.25`.
///
/// Two decimals of up to 15 digits are never the same `Double`. So where one of them reads back as a
/// number, it is the shortest that does, once its zeros at the end are cut.
struct ShortDecimal {
    /// Room for its bytes: a sign, a point, six digits behind it, and 20 digits in front of it, for which
    /// the output asks whatever their number.
    static let greatestCount = 28

    private let isNegative: Bool
    /// The number without its sign: what stands before the point, and the millionths behind it.
    private let whole: UInt64
    private let millionths: UInt64

    private static let limit = 1e15
    /// Below, numbers are printed with an exponent.
    private static let leastFraction = 1e-4
    private static let scale: UInt64 = 1_000_000

    /// The decimal that reads back as a number; nil where it takes more digits, for minus zero, and
    /// where the number is not finite.
    @inline(__always)
    init?(_ number: Double) {
        let magnitude = number.magnitude
        guard magnitude < Self.limit else { return nil }
        let integer = UInt64(magnitude)
        isNegative = number < 0
        if Double(integer) == magnitude {
            guard integer != 0 || number.sign == .plus else { return nil }
            whole = integer
            millionths = 0
            return
        }
        let scaled = (magnitude * Double(Self.scale)).rounded()
        guard magnitude >= Self.leastFraction, scaled < Self.limit,
            scaled / Double(Self.scale) == magnitude
        else { return nil }
        let digits = UInt64(scaled)
        whole = digits / Self.scale
        millionths = digits % Self.scale
    }

    /// Nothing stands behind the point.
    var isInteger: Bool { millionths == 0 }

    /// Appends its digits; there is room for them.
    @inline(__always)
    func append(to output: inout OutputSpan<UInt8>) {
        if isNegative { output.append(UInt8(ascii: "-")) }
        output.append(decimal: whole)
        guard millionths > 0 else { return }
        output.append(UInt8(ascii: "."))
        var rest = millionths
        repeat {
            rest *= 10
            output.append(UInt8(truncatingIfNeeded: 0x30 + rest / Self.scale))
            rest %= Self.scale
        } while rest > 0
    }
}
