/// The preferences that a client may state (RFC 7240).
package struct Preferences: Sendable, Hashable {
    /// `wait=25`: how long an answer may be held, in seconds.
    package var wait: Int?
    /// `return=representation`: the answer shall hold the state.
    package var returnsRepresentation = false
    /// `return=minimal`.
    package var returnsMinimal = false

    /// Reads the field Prefer; unknown preferences are ignored, of two the first counts.
    package init(_ head: RequestHead, in bytes: Span<UInt8>) {
        guard head.value(.prefer) != nil else { return }
        var wait: Slice?
        var returned: Slice?
        head.forEachValue(.prefer, in: bytes) { value in
            ListElements.forEach(in: value, of: bytes) { element in
                let preference = FieldParameters.forEach(in: element, of: bytes) { _, _ in }
                guard let equals = preference.range.first(where: { bytes[$0] == 0x3D }) else {
                    return
                }
                let name = RequestParser.trimmed(
                    preference.range.lowerBound..<equals, in: bytes)
                let value = FieldParameters.unquoted(
                    RequestParser.trimmed(equals + 1..<preference.range.upperBound, in: bytes),
                    in: bytes)
                if wait == nil, name.isEqual(to: "wait", in: bytes) { wait = value }
                if returned == nil, name.isEqual(to: "return", in: bytes) { returned = value }
            }
        }
        if let wait { self.wait = wait.decimal(in: bytes) }
        returnsRepresentation = returned?.isEqual(to: "representation", in: bytes) ?? false
        returnsMinimal = returned?.isEqual(to: "minimal", in: bytes) ?? false
    }
}
