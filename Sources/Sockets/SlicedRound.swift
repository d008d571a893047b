/// Goes round through many things a slice at a time, so that no turn is long, and adds up what was
/// found in the slices.
public struct SlicedRound: Sendable {
    /// How many slices there are.
    public static let sliceCount = 16

    private var index = 0
    private var sums = [Int](repeating: 0, count: sliceCount)
    /// What the latest visits to all slices have found.
    public private(set) var sum = 0

    /// A round that begins at the first slice.
    public init() {}

    /// The last visit was to the last slice.
    public var hasEnded: Bool { index == 0 }

    /// The next slice of so many things.
    public func slice(of count: Int) -> Range<Int> {
        (index * count / Self.sliceCount)..<((index + 1) * count / Self.sliceCount)
    }

    /// The slice was visited, and this was found there.
    public mutating func visited(_ found: Int) {
        sum += found - sums[index]
        sums[index] = found
        index = (index + 1) % Self.sliceCount
    }
}
