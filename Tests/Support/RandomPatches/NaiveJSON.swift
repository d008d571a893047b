/// A JSON document as a plain tree with its members in order: what patched documents are compared
/// with.
package indirect enum NaiveJSON: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: NaiveJSON
    }

    /// A number, a string or a literal, as it is spelled.
    case scalar(String)
    case array([NaiveJSON])
    case object([Member])

    /// Compact, as the encoder writes it.
    package var text: String {
        switch self {
        case .scalar(let text): text
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    /// The text's bytes.
    package var bytes: [UInt8] { Array(text.utf8) }

    /// A JSON string (RFC 8259 §7).
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\u{1}": quoted += "\\u0001"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }
}
