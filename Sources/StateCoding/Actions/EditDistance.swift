/// The number of letters to change, add or leave out to make one word of another.
enum EditDistance {
    /// The words spelled most like `word`, closest first; none that has little in common with it.
    static func nearest(to word: String, in words: [String], limit: Int = 3) -> [String] {
        guard word.utf8.count <= 128 else { return [] }
        let wanted = letters(word)
        let tolerance = max(3, wanted.count / 3)
        var found: [(word: String, distance: Int)] = []
        for candidate in words {
            let distance = distance(wanted, letters(candidate))
            if distance <= tolerance { found.append((candidate, distance)) }
        }
        found.sort { ($0.distance, $0.word) < ($1.distance, $1.word) }
        return found.prefix(limit).map(\.word)
    }

    private static func letters(_ word: String) -> [UInt8] {
        Array(word.lowercased().utf8)
    }

    /// Levenshtein's distance, by rows.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
