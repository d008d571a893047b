import Bytes
import StateCoding
import Testing

struct JSONWriterTests {
    @Test func `commas stand where they belong`() {
        var json = JSONWriter(appendingTo: Array("x:".utf8))
        json.beginObject()
        json.member("a", 1)
        json.member("b", "x\"y")
        json.member("c", true)
        json.member("d", 1.5)
        json.name("e")
        json.value(json: "null".utf8.span)
        json.name("f")
        json.beginArray()
        json.value(1)
        json.value("two")
        json.beginObject()
        json.endObject()
        json.endArray()
        let raw = Array(#"{"k":[]}"#.utf8)
        json.member("g", json: raw.span)
        json.name("h")
        json.value(UInt64.max)
        json.endObject()
        let text = String(decoding: json.finish(), as: UTF8.self)
        let expected =
            #"x:{"a":1,"b":"x\"y","c":true,"d":1.5,"e":null,"f":[1,"two",{}],"#
            + #""g":{"k":[]},"h":18446744073709551615}"#
        #expect(text == expected)
    }

    /// Integers of 15 digits without a point, everything else as Swift prints it.
    private func expected(_ number: Double) -> String {
        if let integer = Int64(exactly: number), integer.magnitude < 1_000_000_000_000_000,
            integer != 0 || number.sign == .plus
        {
            return integer.description
        }
        return number.description
    }

    private func text(_ number: Double) -> String {
        var json = JSONWriter()
        json.member("", number)
        return String(decoding: json.finish().dropFirst(4), as: UTF8.self)
    }

    @Test func `numbers take the fewest digits that read back`() {
        var generator = SplitMix(seed: 41)
        var scale = 1.0
        for exponent in 0..<18 {
            for limit in [9.0, 1e3, 1e6, 1e9, 1e15, 9e15] {
                for _ in 0..<200 {
                    let integer = Double.random(in: -limit...limit, using: &generator).rounded()
                    let number = integer / scale
                    for near in [number, number.nextUp, number.nextDown] {
                        #expect(text(near) == expected(near), "\(exponent)")
                    }
                }
            }
            scale *= 10
        }
        for _ in 0..<20_000 {
            let number = Double(bitPattern: generator.next())
            if number.isFinite { #expect(text(number) == expected(number)) }
        }
        let edges = [
            0, -0.0, 0.1, 0.2 + 0.1, 1e-4, 9.9e-5, 0.0001005, 1e15, .leastNonzeroMagnitude, 1.5e300,
        ]
        for number in edges {
            #expect(text(number) == expected(number))
        }
    }
}
