package import StateCoding

/// What the classes of viewers of one view have in common: those that read its JSON as text, and those
/// that follow it by patches.
typealias CommonViews = (texts: SharedCollections, forms: SharedCollections)

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
        /// The JSON in pieces.
        case form(EncodedForm)
    }

    /// The input that the view was last computed of, where it compares that.
    @usableFromInline package var input: AnyObject?
    package private(set) var content = Content.unchanged
    /// The value is taken down in pieces, as far as it is not what a former form holds of it.
    private let isInForm: Bool
    private let former: EncodedForm?
    /// What the value has in common with those of other viewers.
    let common: SharedCollections?

    package init(
        input: AnyObject? = nil, inForm isInForm: Bool = false, after former: EncodedForm? = nil,
        _ common: SharedCollections? = nil
    ) {
        self.input = input
        self.isInForm = isInForm
        self.former = former
        self.common = common
    }

    /// Takes a value down; nil where the view shows nothing.
    @usableFromInline
    package mutating func write(_ value: (some Encodable)?) throws(EncodingFailure) {
        guard let value else {
            content = .outOfScope
            return
        }
        guard !isInForm else {
            content = .form(try StateEncoder().form(of: value, after: former, common))
            return
        }
        var bytes: [UInt8] = []
        try StateEncoder().encode(value, into: &bytes, common)
        content = .text(bytes)
    }

    /// The view shows nothing to those whom it is made for.
    @usableFromInline
    package mutating func leaveScope() { content = .outOfScope }
}
