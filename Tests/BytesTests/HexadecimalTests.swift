import Bytes
import Testing

@Suite struct HexadecimalTests {
    @Test func `every byte is a digit or none as Swift has it`() {
        for byte in UInt8.min...UInt8.max {
            let wanted = byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil
            #expect(Hexadecimal.value(of: byte) == wanted.map { UInt8($0) })
        }
    }

    @Test func `digits are read back`() {
        for value in UInt8(0)..<16 {
            #expect(Hexadecimal.value(of: Hexadecimal.digit(value)) == value)
        }
        #expect(Hexadecimal.digit(10) == UInt8(ascii: "a"))
        #expect(Hexadecimal.percentEncoded("a-ö/") == "a-%C3%B6%2F")
    }
}
