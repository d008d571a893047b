/// The preferences that a client may state (RFC 7240).
public struct Preferences: Sendable, Hashable {
    /// `wait=25`: how long an answer may be held, in seconds.
    public var wait: Int?
    /// `return=representation`: the answer shall hold the state.
    public var returnsRepresentation = false
    /// `return=minimal`.
    public var returnsMinimal = false

    /// What the field Prefer says; unknown preferences are ignored, of two the first counts.
    public init(_ head: RequestHead, in bytes: Span<UInt8>) {
        guard head.value(.prefer) != nil else { return }
        var wait: Int?
        var returned: String?
        head.forEachValue(.prefer, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                let text = element.string(in: bytes).lowercased()
                let preference = text.split(separator: ";").first ?? ""
                let parts = preference.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { return }
                let name = Self.trimmed(parts[0])
                let value = Self.trimmed(parts[1])
                if name == "wait", wait == nil { wait = Int(value) }
                if name == "return", returned == nil { returned = value }
            }
        }
        if let wait, wait >= 0 { self.wait = wait }
        returnsRepresentation = returned == "representation"
        returnsMinimal = returned == "minimal"
    }

    private static func trimmed(_ text: Substring) -> String {
        var part = text.drop { $0 == " " || $0 == "\t" || $0 == "\"" }
        while let last = part.last, last == " " || last == "\t" || last == "\"" {
            part.removeLast()
        }
        return String(part)
    }
}
