package import StateCoding

/// Takes down what a view shows, as text or in pieces, and what that was computed of.
@usableFromInline
package struct ViewOutput {
    /// The input that the view was last computed of, where it compares that.
    @usableFromInline package var input: AnyObject?
    /// The JSON; empty where it was taken down in pieces.
    package private(set) var bytes: [UInt8] = []
    /// The JSON in pieces, and the way to it from the former ones.
    package private(set) var change: EncodedChange?

    private enum Manner {
        case text(expected: Int)
        case pieces(after: EncodedForm?)
    }

    private let manner: Manner

    /// An output for text.
    ///
    /// - Parameters:
    ///   - input: that of the last time.
    ///   - expected: the number of bytes of the last time.
    package static func text(of input: AnyObject? = nil, expected: Int = 0) -> ViewOutput {
        ViewOutput(input: input, manner: .text(expected: expected))
    }

    /// An output for a form.
    ///
    /// - Parameters:
    ///   - input: that of the last time.
    ///   - former: that of the last time.
    package static func form(of input: AnyObject?, after former: EncodedForm?) -> ViewOutput {
        ViewOutput(input: input, manner: .pieces(after: former))
    }

    private init(input: AnyObject?, manner: Manner) {
        self.input = input
        self.manner = manner
    }

    /// Takes a value down.
    @usableFromInline
    package mutating func write(_ value: some Encodable) throws(EncodingFailure) {
        switch manner {
        case .text(let expected):
            bytes.reserveCapacity(expected + 64)
            try StateEncoder().encode(value, into: &bytes)
        case .pieces(let former):
            change = try StateEncoder().encode(value, after: former)
        }
    }
}
