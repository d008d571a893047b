import Bytes
package import HTTPMessages

/// A whole answer as a client sees it.
package struct ClientAnswer: Sendable {
    package let status: Int
    /// By their names in lower case; lines of one name are one list (RFC 9110 §5.2).
    package var fields: [String: String]
    package let body: [UInt8]

    package init(status: Int, fields: [String: String], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The answer that a reader hands out.
    package init(_ head: ResponseHead, _ message: Span<UInt8>, _ body: Range<Int>) {
        status = head.status
        fields = head.fieldsByName(in: message)
        self.body = [UInt8](copying: message.extracting(body))
    }

    /// The one answer in all that a connection has received, until it ended.
    ///
    /// - Parameter isToHead: it answers a HEAD, and has no body.
    package init(inAll bytes: [UInt8], isToHead: Bool = false) throws(ResponseError) {
        var reader = ResponseReader(answersHead: isToHead)
        var answer: ClientAnswer?
        let receive: ResponseReader.Receiver = { answer = ClientAnswer($0, $1, $2) }
        try reader.read(bytes.span, receive)
        try reader.end(receive)
        guard let answer else { throw .malformed("The connection has ended without an answer.") }
        self = answer
    }
}

extension ResponseHead {
    /// The values of the fields, by their names in lower case.
    func fieldsByName(in message: Span<UInt8>) -> [String: String] {
        var fields: [String: String] = [:]
        forEachField(in: message) { name, value in
            let name = name.string(in: message).lowercased()
            let value = value.string(in: message)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        return fields
    }
}
