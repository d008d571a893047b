extension JSONPointer {
    /// The place of the value that this pointer names in `document`, an encoded JSON text; nil
    /// when there is none.
    ///
    /// Linear in the document. The document is trusted to be JSON; if it is not, the answer is
    /// nil or the range of what looks like the value, never a trap.
    package func range(in document: Span<UInt8>) -> Range<Int>? {
        var scanner = JSONScanner()
        for token in tokens {
            switch scanner.next(document) {
            case UInt8(ascii: "{"):
                guard Self.enterMember(token, &scanner, document) else { return nil }
            case UInt8(ascii: "["):
                guard Self.enterElement(token, &scanner, document) else { return nil }
            default:
                return nil
            }
        }
        return scanner.value(document)
    }

    /// Moves to the value of the member with this name.
    private static func enterMember(
        _ name: String, _ scanner: inout JSONScanner, _ document: Span<UInt8>
    ) -> Bool {
        guard scanner.skip(UInt8(ascii: "{"), document) else { return false }
        while let (range, isEscaped) = scanner.string(document) {
            let key = document.extracting(range)
            let isFound = JSONText.equal(key, isEscaped: isEscaped, to: name)
            guard scanner.skip(UInt8(ascii: ":"), document) else { return false }
            if isFound { return true }
            guard scanner.value(document) != nil, scanner.skip(UInt8(ascii: ","), document) else {
                return false
            }
        }
        return false
    }

    /// Moves to the element with this index (RFC 6901 §4: no sign, no leading zero).
    private static func enterElement(
        _ token: String, _ scanner: inout JSONScanner, _ document: Span<UInt8>
    ) -> Bool {
        let isCanonical = token == "0" || token.utf8.first != UInt8(ascii: "0")
        guard isCanonical, token.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        guard let index = Int(token), scanner.skip(UInt8(ascii: "["), document) else {
            return false
        }
        if index == 0 { return scanner.next(document) != UInt8(ascii: "]") }
        for _ in 0..<index {
            guard scanner.value(document) != nil, scanner.skip(UInt8(ascii: ","), document) else {
                return false
            }
        }
        return true
    }
}
