internal import Bytes

/// Takes in one answer, and says stop at its limits.
///
/// Not Sendable: it lives on the thread that performs the transfer.
package final class Receiver {
    /// Which limit was passed.
    package enum Excess: Sendable {
        case fields, body
    }

    /// Names and values of the final answer, in order.
    package private(set) var fields: [(name: String, value: String)] = []
    /// As received, without the transfer coding, with the content coding.
    package private(set) var body: [UInt8] = []
    /// The final answer's head has come to its end.
    package private(set) var isHeadComplete = false
    /// Is handed the body in place of `body`, as it comes; false ends the transfer.
    package var pass: ((Span<UInt8>) -> Bool)?
    /// Set when the transfer was cut for it.
    package private(set) var excess: Excess?

    private let fieldsLimit: Int
    private let bodyLimit: Int
    private var fieldsByteCount = 0

    /// Limits in bytes.
    package init(fieldsLimit: Int, bodyLimit: Int) {
        self.fieldsLimit = fieldsLimit
        self.bodyLimit = bodyLimit
    }

    /// One line of a head, its line end included: `HTTP/1.1 200 OK`, `Name: value`, or empty.
    ///
    /// A status line begins anew, as it does after an interim answer or a redirect; lines after
    /// the head are trailers, which nobody asked for.
    func receive(line: Span<UInt8>) -> Bool {
        let text = line.withoutLineEnd
        if text.starts(with: "HTTP/") {
            fields = []
            fieldsByteCount = 0
            isHeadComplete = false
            return true
        }
        guard !isHeadComplete else { return true }
        guard !text.isEmpty else {
            isHeadComplete = true
            return true
        }
        fieldsByteCount += line.count
        guard fieldsByteCount <= fieldsLimit else {
            excess = .fields
            return false
        }
        appendField(text)
        return true
    }

    /// Some more of the body.
    func receive(body bytes: Span<UInt8>) -> Bool {
        if let pass { return pass(bytes) }
        guard body.count + bytes.count <= bodyLimit else {
            excess = .body
            return false
        }
        body.append(copying: bytes)
        return true
    }

    private func appendField(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return }
        var value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        fields.append((String(text[..<colon]), String(value)))
    }
}

extension Span<UInt8> {
    /// As text, up to CR or LF.
    fileprivate var withoutLineEnd: String {
        let bytes = [UInt8](copying: self).filter { $0 != 0x0d && $0 != 0x0a }
        return String(decoding: bytes, as: UTF8.self)
    }
}
