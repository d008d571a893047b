import Bytes
import Testing

@Suite struct DecimalDigitsTests {
    private static let numbers: [Int] =
        [0, 7, -1, -9, 10, -10, .max, .min] + powers.map { $0 - 1 } + powers + powers.map { -$0 }
    private static let powers = (1...18).map { (0..<$0).reduce(1) { number, _ in number * 10 } }

    @Test(arguments: numbers)
    func `a number is spelled as Swift spells it`(number: Int) {
        var bytes: [UInt8] = [1]
        bytes.append(decimal: number)
        #expect(bytes == [1] + Array(number.description.utf8))
    }

    @Test(arguments: [0, 9, 10, 99_999_999, 100_000_000, UInt64.max, UInt64(Int64.max) + 1])
    func `a number without a sign is spelled as Swift spells it`(number: UInt64) {
        var bytes: [UInt8] = []
        bytes.append(decimal: number)
        #expect(bytes == Array(number.description.utf8))
    }

    @Test(arguments: [
        (7, 2, "07"), (7, 8, "00000007"), (42, 2, "42"), (123, 2, "123"), (0, 3, "000"),
        (5, 0, "5"),
    ])
    func `zeros stand in front up to a width`(number: Int, width: Int, wanted: String) {
        var bytes: [UInt8] = []
        bytes.append(decimal: number, width: width)
        #expect(bytes == Array(wanted.utf8))
    }

    @Test func `more zeros than eight digits have are a mistake`() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            bytes.append(decimal: 7, width: 9)
        }
    }
}
