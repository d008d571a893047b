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
        head.forEachElement(.prefer, in: bytes) { element in
            let preference = FieldParameters.forEach(in: element, of: bytes) { _, _ in }
            let (name, value) = FieldParameters.pair(preference.range, in: bytes)
            guard let value else { return }
            if wait == nil, name.isEqual(to: "wait", in: bytes) { wait = value }
            if returned == nil, name.isEqual(to: "return", in: bytes) { returned = value }
        }
        if let wait { self.wait = wait.decimal(in: bytes) }
        returnsRepresentation = returned?.isEqual(to: "representation", in: bytes) ?? false
        returnsMinimal = returned?.isEqual(to: "minimal", in: bytes) ?? false
    }
}
