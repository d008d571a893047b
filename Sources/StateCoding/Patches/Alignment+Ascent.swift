extension Alignment {
    /// The longest choice of places whose matches ascend, with these matches: what need not move.
    ///
    ///     [2, nil, 0, 1, 4] → (2, 0), (3, 1), (4, 4)
    ///
    /// - Complexity: n·log n.
    static func longestAscent(_ matches: [Int?]) -> [(offset: Int, match: Int)] {
        /// For each length the place at which the ascent with the least last match ends.
        var ends: [Int] = []
        /// For each place the one before it in its ascent.
        var previous = [Int?](repeating: nil, count: matches.count)
        for (offset, match) in matches.enumerated() {
            guard let match else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = matches[ends[middle]], other < match {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            previous[offset] = low > 0 ? ends[low - 1] : nil
            if low < ends.count { ends[low] = offset } else { ends.append(offset) }
        }
        var chosen: [(offset: Int, match: Int)] = []
        var next = ends.last
        while let offset = next, let match = matches[offset] {
            chosen.append((offset, match))
            next = previous[offset]
        }
        return chosen.reversed()
    }
}
