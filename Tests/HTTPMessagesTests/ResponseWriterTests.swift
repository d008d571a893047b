import HTTPMessages
import Testing

@Suite struct `Answers` {
    @Test func `an answer is status line, fields, length and body`() {
        var writer = ResponseWriter()
        writer.status(200)
        writer.field("Content-Type", "application/json")
        writer.field("X", [UInt8]("yz").span)
        writer.field("Age", 0)
        writer.field("Version") { $0.append(contentsOf: "v1".utf8) }
        writer.lines([UInt8]("A: b\r\n"))
        #expect(!writer.hasEndedHead)
        writer.body([UInt8]("{}"))
        #expect(writer.hasEndedHead)
        #expect(
            writer.bytes.text == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: yz\r\n"
                + "Age: 0\r\nVersion: v1\r\nA: b\r\nContent-Length: 2\r\n\r\n{}")
    }

    @Test func `no value of a field begins another line`() {
        var writer = ResponseWriter()
        writer.field("Link", "<a\r\nX: y>")
        #expect(writer.bytes.text == "Link: <a  X: y>\r\n")
    }

    @Test func `the answer to a HEAD tells the length of a body that it does not hold`() {
        var writer = ResponseWriter()
        writer.omitsBody = true
        writer.status(200)
        writer.body([UInt8]("hello"))
        #expect(writer.bytes.text == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    }

    @Test func `it goes on behind what is written`() {
        var writer = ResponseWriter([UInt8]("before"))
        writer.status(304)
        writer.endHead()
        #expect(writer.bytes.text == "beforeHTTP/1.1 304 Not Modified\r\n\r\n")
    }

    @Test(arguments: [
        (100, "Continue"), (204, "No Content"), (412, "Precondition Failed"),
        (413, "Content Too Large"), (422, "Unprocessable Content"), (599, ""), (299, ""),
    ])
    func `a status line has its phrase, or none and a space all the same`(
        status: Int, phrase: String
    ) {
        var writer = ResponseWriter()
        writer.status(status)
        #expect(writer.bytes.text == "HTTP/1.1 \(status) \(phrase)\r\n")
        #expect(ResponseHead.reasonPhrase(status) == phrase)
    }

    @Test(arguments: [0, 1, 9, 10, 11, 99, 100, 12_345, 1_000_000, -1, -10, Int.max, Int.min])
    func `numbers are decimal`(number: Int) {
        var writer = ResponseWriter()
        writer.field("Age", number)
        #expect(writer.bytes.text == "Age: \(number)\r\n")
    }
}
