import HTTPMessages
import Testing

/// The head of a GET with these fields.
func parsedHead(_ fields: String...) throws -> (head: RequestHead, bytes: [UInt8]) {
    let lines = ["GET / HTTP/1.1", "Host: a"] + fields
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    var parser = RequestParser()
    guard try parser.parse(bytes.span) else {
        throw NotAHead(text: String(decoding: bytes, as: UTF8.self))
    }
    return (parser.head, bytes)
}

struct NotAHead: Error {
    var text: String
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    var text: String { String(decoding: self, as: UTF8.self) }
}
