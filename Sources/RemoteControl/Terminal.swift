import ClientWire
import Sockets
import StateCoding

/// Where a command writes: for people, or JSON in a pipe, a value a line.
struct Terminal: Sendable {
    enum Color: Int { case red = 31, green, yellow, blue, magenta, cyan, gray = 90 }

    /// The standard output is read by a person.
    let isTerminal: Bool
    let isColored: Bool
    private let isVerbose: Bool

    /// - Parameters:
    ///   - isColored: nil: where there is a terminal that has colours, and nobody has asked for none
    ///     (no-color.org).
    init(
        isTerminal: Bool, isColored: Bool?, isVerbose: Bool = false,
        environment: [String: String] = [:]
    ) {
        (self.isTerminal, self.isVerbose) = (isTerminal, isVerbose)
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        self.isColored = isColored ?? (isTerminal && !isPlain && environment["TERM"] != "dumb")
    }

    /// Writes a line at once, even into a pipe, which would wait for more.
    func write(_ line: String) throws(MirrorProblem) {
        guard ProcessEnd.write(line + "\n", to: 1) else {
            throw MirrorProblem("output-lost", "The output cannot be written.")
        }
    }

    /// Tells the person something that is no part of the output.
    func tell(_ sentence: String) { ProcessEnd.write(Self.harmless(sentence) + "\n", to: 2) }

    /// Tells what is for those who want to know all.
    func note(_ line: String) {
        if isVerbose { tell(line) }
    }

    /// A text of a server, made harmless.
    func paint(_ text: String, _ color: Color) -> String {
        let text = Self.harmless(text)
        return isColored && !text.isEmpty ? "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// A text of a server as it may stand on a terminal: what would move the cursor, or turn the
    /// direction of writing, is spelt out.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map {
            isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0)
        }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// A value on one line, not longer than people read.
    func short(_ json: [UInt8], limit: Int = 120) -> String {
        let text = Self.harmless(String(decoding: json.prefix(4 * limit), as: UTF8.self))
        return text.count <= limit && json.count <= 4 * limit ? text : text.prefix(limit) + "…"
    }

    /// A value for people, a member a line.
    func pretty(_ value: JSONValue) -> String {
        var text: [UInt8] = []
        value.write(to: &text) { text, json, isName in
            let color = json.first == UInt8(ascii: "\"") ? Color.green : .cyan
            text += paint(String(decoding: json, as: UTF8.self), isName ? .blue : color).utf8
        }
        return String(decoding: text, as: UTF8.self)
    }
}
