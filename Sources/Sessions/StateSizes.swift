/// The sizes of the states of one application on one loop, as they were measured last: of each change of one,
/// none of the others is looked at.
package struct StateSizes: Sendable {
    package typealias Figures = (largest: Int, sum: Int, count: Int)

    /// The states that were measured.
    private(set) var count = 0
    /// Their bytes.
    private(set) var sum = 0
    /// How many there are of each class: powers of two have eight.
    private var classes = [Int32](repeating: 0, count: 8 * 62)
    private var largest = 0

    /// - Parameters:
    ///   - former: 0: it was not measured.
    ///   - next: 0: it is gone.
    mutating func change(from former: Int, to next: Int) {
        sum += next - former
        count += (next > 0 ? 1 : 0) - (former > 0 ? 1 : 0)
        if former > 0 { classes[Self.sizeClass(of: former)] -= 1 }
        if next > 0 { classes[Self.sizeClass(of: next)] += 1 }
        largest = max(largest, next)
    }

    /// Once the largest one has shrunk or gone, `largest` may be an eighth more than the next one has.
    mutating func figures() -> Figures {
        let last = classes.lastIndex { $0 > 0 }
        largest = min(largest, last.map(Self.greatest) ?? 0)
        return (largest, sum, count)
    }

    private static func sizeClass(of size: Int) -> Int {
        guard size >= 8 else { return size }
        let exponent = size.bitWidth - 1 - size.leadingZeroBitCount
        return (exponent - 2) * 8 + ((size >> (exponent - 3)) & 7)
    }

    private static func greatest(of sizeClass: Int) -> Int {
        guard sizeClass >= 8 else { return sizeClass }
        return ((9 + sizeClass % 8) << (sizeClass / 8 - 1)) - 1
    }
}
