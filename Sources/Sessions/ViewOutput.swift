package import StateCoding

/// Takes down what a view shows, as text or in pieces, and what that was computed of.
@usableFromInline
package struct ViewOutput {
    /// The outcome of encoding a view.
    package enum Content {
        /// The view would show what it did, since its input is equal: nothing was computed.
        case unchanged
        /// The view shows nothing.
        case outOfScope
        case text([UInt8])
        /// The JSON in pieces, and the way to it from the former ones.
        case pieces(EncodedChange)
    }

    /// The form in which a value is taken down.
    package enum Manner {
        /// - expected: the number of bytes of the last time.
        case text(expected: Int)
        /// - after: the pieces of the last time.
        case pieces(after: EncodedForm?)
    }

    /// The input that the view was last computed of, where it compares that.
    @usableFromInline package var input: AnyObject?
    package private(set) var content = Content.unchanged
    private let manner: Manner

    package init(input: AnyObject? = nil, _ manner: Manner = .text(expected: 0)) {
        self.input = input
        self.manner = manner
    }

    /// Takes a value down; nil where the view shows nothing.
    @usableFromInline
    package mutating func write(_ value: (some Encodable)?) throws(EncodingFailure) {
        guard let value else {
            content = .outOfScope
            return
        }
        switch manner {
        case .text(let expected):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(expected + 64)
            try StateEncoder().encode(value, into: &bytes)
            content = .text(bytes)
        case .pieces(let former):
            content = .pieces(try StateEncoder().encode(value, after: former))
        }
    }

    /// The view shows nothing to those whom it is made for.
    @usableFromInline
    package mutating func leaveScope() { content = .outOfScope }
}
