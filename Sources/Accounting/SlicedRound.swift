/// A round through many things, a slice at a time, so that no turn is long; it adds up what was
/// found in the slices.
package struct SlicedRound: Sendable {
    package static let sliceCount = 16

    private var index = 0
    private var sums = [Int](repeating: 0, count: sliceCount)
    /// The sum of the latest visits to all slices.
    package private(set) var sum = 0

    /// A round that begins at the first slice.
    package init() {}

    /// The last visit was to the last slice.
    package var hasEnded: Bool { index == 0 }

    /// The next slice of so many things.
    package func slice(of count: Int) -> Range<Int> {
        (index * count / Self.sliceCount)..<((index + 1) * count / Self.sliceCount)
    }

    /// The slice was visited, and this was found there.
    package mutating func visited(_ found: Int) {
        sum += found - sums[index]
        sums[index] = found
        index = (index + 1) % Self.sliceCount
    }
}
