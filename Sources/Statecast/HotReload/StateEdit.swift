import Bytes
import Journaling
import Redux
import Sessions
import StateCoding

/// The state of a session as a person has written it into the session's file:
///
///     {
///       "token": "k3f9x2-42",
///       "state": {
///         "count": 3
///       }
///     }
struct StateEdit {
    /// That of the state which was edited.
    let token: Token
    let state: [UInt8]

    /// States nest one level less.
    private static let maximumDepth = StateDecoder().maximumDepth + 1

    init(reading text: [UInt8]) throws(EditFault) {
        let document: JSONValue
        do throws(DecodingFailure) {
            document = try JSONValue(parsing: text.span, maximumDepth: Self.maximumDepth)
        } catch {
            throw EditFault(error.detail, offset: error.offset)
        }
        guard let token = document["token"]?.string.flatMap({ Token($0) }) else {
            throw EditFault(
                "The token of the state that was edited belongs here.",
                at: JSONPointer(tokens: ["token"]))
        }
        guard let state = document["state"] else {
            throw EditFault("The state is missing.", at: JSONPointer(tokens: ["state"]))
        }
        self.token = token
        self.state = state.json
    }

    /// The text of a session's file, a member a line; on one line where it would be larger than a limit.
    static func text(of json: [UInt8], _ token: Token, limit: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("token", "\(token)")
        writer.member("state", json: json.span)
        writer.endObject()
        let plain = writer.finish()
        return indented(plain, limit: limit) ?? plain
    }

    /// JSON without spaces, on lines.
    private static func indented(_ json: [UInt8], limit: Int) -> [UInt8]? {
        var text: [UInt8] = []
        var (depth, isString, isEscaped) = (0, false, false)
        func breakLine() {
            text.append(UInt8(ascii: "\n"))
            text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        for (last, byte) in zip([0] + json, json) where text.count <= limit {
            let isOpening = last == UInt8(ascii: "{") || last == UInt8(ascii: "[")
            let isClosing = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            if !isString, isClosing { depth -= 1 }
            if !isString, isOpening != isClosing || last == UInt8(ascii: ",") { breakLine() }
            text.append(byte)
            switch byte {
            case UInt8(ascii: "\"") where !isEscaped: isString.toggle()
            case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString: depth += 1
            case UInt8(ascii: ":") where !isString: text.append(UInt8(ascii: " "))
            default: break
            }
            isEscaped = isString && !isEscaped && byte == UInt8(ascii: "\\")
        }
        text.append(UInt8(ascii: "\n"))
        return text.count <= limit ? text : nil
    }
}

/// The reason why what stands in a session's file is not its state.
struct EditFault: Error, Hashable {
    private let detail: String
    /// The place in the document.
    private let pointer: JSONPointer?
    /// The place in the text, where it is no document.
    private let offset: Int?

    init(_ detail: String, at pointer: JSONPointer? = nil, offset: Int? = nil) {
        (self.detail, self.pointer, self.offset) = (detail, pointer, offset)
    }

    /// The reasons of a session that has not taken a state.
    static func list(_ refusal: Refusal) -> [EditFault] {
        switch refusal {
        case .unreadable(let failure):
            [EditFault(failure.detail, at: JSONPointer(tokens: ["state"] + failure.pointer.tokens))]
        case .rejected(let rejection, _):
            rejection.faults.map { fault in
                let pointer = JSONPointer(parsing: "/state" + (fault.field.map { "/\($0)" } ?? ""))
                return EditFault(fault.message, at: pointer)
            }
        default: [EditFault(SessionError(refusal).description)]
        }
    }

    /// `demo.json:4:12: /state/count: An integer is expected here.`, as compilers say it, for editors.
    func line(about file: String, _ text: [UInt8]) -> String {
        var line = "\(file):"
        if let offset = offset ?? pointer.flatMap({ Self.offset(of: $0, in: text) }) {
            let before = text.prefix(offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let number = before.count { $0 == UInt8(ascii: "\n") } + 1
            line += "\(number):\(before.count - start + 1):"
        }
        if let pointer { line += " \(pointer):" }
        return "\(line) \(detail)"
    }

    /// The place of a value, or of what it is missing in.
    private static func offset(of pointer: JSONPointer, in text: [UInt8]) -> Int? {
        if let range = pointer.range(in: text.span) { return range.lowerBound }
        guard !pointer.tokens.isEmpty else { return nil }
        return offset(of: JSONPointer(tokens: pointer.tokens.dropLast()), in: text)
    }
}
