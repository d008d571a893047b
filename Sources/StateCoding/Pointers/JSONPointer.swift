/// A JSON Pointer (RFC 6901): the way from the root of a document to one value, `/home/episodes/3`.
///
/// The empty pointer names the whole document. In a token `~0` stands for `~` and `~1` for `/`.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The reference tokens, unescaped, outermost first.
    public var tokens: [String]

    /// The pointer with these unescaped tokens.
    public init(tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads `/a/b~1c`; nil when the text is neither empty nor starts with `/`, or holds a `~`
    /// that neither `0` nor `1` follows.
    public init?(parsing text: some StringProtocol) {
        tokens = []
        guard let first = text.utf8.first else { return }
        guard first == UInt8(ascii: "/") else { return nil }
        let slash = UInt8(ascii: "/")
        let parts = String(text).utf8.dropFirst()
        for part in parts.split(separator: slash, omittingEmptySubsequences: false) {
            guard let token = Self.unescape(Substring(part)) else { return nil }
            tokens.append(token)
        }
    }

    /// The escaped text, `/a/b~1c`; empty for the whole document.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for character in token.unicodeScalars {
                switch character {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(character)
                }
            }
        }
        return text
    }

    /// The pointer to a member or element of what this one names.
    public func appending(_ token: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [token])
    }

    private static func unescape(_ part: Substring) -> String? {
        guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
        var token = ""
        var afterTilde = false
        for character in part.unicodeScalars {
            switch (afterTilde, character) {
            case (true, "0"): token += "~"
            case (true, "1"): token += "/"
            case (true, _): return nil
            case (false, "~"): break
            case (false, _): token.unicodeScalars.append(character)
            }
            afterTilde = !afterTilde && character == "~"
        }
        return afterTilde ? nil : token
    }
}
