import HTTPMessages
import Testing

@Suite struct `Queries` {
    @Test(arguments: [
        ("a=1&b=2", ["a=1", "b=2"]), ("a", ["a="]), ("a=", ["a="]), ("=b", ["=b"]), ("", []),
        ("&&a=1&", ["a=1"]), ("a=b=c", ["a=b=c"]), ("a=b+c", ["a=b+c"]), ("a=b%20c", ["a=b c"]),
        ("%61=%C3%A4", ["a=ä"]), ("a=%26%3D", ["a=&="]), ("a=1&a=2", ["a=1", "a=2"]),
    ])
    func `a query is its items in their order, decoded`(text: String, items: [String]) {
        let bytes = [UInt8](text)
        let query = Query(Slice(0..<bytes.count), in: bytes.span)
        #expect(query.items.map { "\($0.name)=\($0.value)" } == items)
        #expect(!query.isMalformed)
    }

    @Test(arguments: ["a=%FF", "%C3=1", "a=%", "a=%4", "a=%zz", "a=%ED%A0%80"])
    func `what does not decode is told`(text: String) {
        let bytes = [UInt8](text)
        let query = Query(Slice(0..<bytes.count), in: bytes.span)
        #expect(query.isMalformed)
        #expect(query.items.isEmpty)
    }

    @Test func `of two items the first counts`() {
        let bytes = [UInt8]("a=1&a=2")
        let query = Query(Slice(0..<bytes.count), in: bytes.span)
        #expect(query["a"] == "1")
        #expect(query["b"] == nil)
    }

    @Test func `every byte is decoded from its escape`() {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16)
            let text = "%" + (digits.count < 2 ? "0" : "") + digits
            #expect(PercentCoding.decodedBytes([UInt8](text)) == [byte])
            #expect(PercentCoding.decodedBytes([UInt8](text.uppercased())) == [byte])
        }
    }
}
