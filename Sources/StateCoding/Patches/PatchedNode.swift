/// One value of a document that is being patched: a range of its text, or a container that was
/// opened.
struct PatchedNode: Sendable {
    enum Kind: Sendable {
        /// A range of the text.
        case text
        /// An opened object, by its number.
        case object
        /// An opened array, by its number.
        case array
    }

    let kind: Kind
    private let lower: UInt32
    private let upper: UInt32

    init(_ range: Range<Int>) {
        precondition(range.upperBound <= Int(UInt32.max), "A document is shorter than 4 GiB.")
        kind = .text
        lower = UInt32(truncatingIfNeeded: range.lowerBound)
        upper = UInt32(truncatingIfNeeded: range.upperBound)
    }

    init(_ kind: Kind, number: Int) {
        precondition(kind != .text, "Only a container has a number.")
        self.kind = kind
        lower = UInt32(truncatingIfNeeded: number)
        upper = 0
    }

    /// The place of the value in the text.
    var range: Range<Int> {
        precondition(kind == .text, "An opened container has no text.")
        return Int(lower)..<Int(upper)
    }

    /// The number of an opened container among those of its kind.
    var number: Int {
        precondition(kind != .text, "Only a container has a number.")
        return Int(lower)
    }
}
