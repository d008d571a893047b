/// Why a posted body holds no action for the store.
@usableFromInline
package enum ActionFailure: Error, Sendable, Hashable {
    /// Not JSON, or a member named twice (400).
    case syntax(offset: Int, detail: String)
    /// JSON nested too deep (400).
    case tooDeep(limit: Int)
    /// More actions in one batch than allowed (413).
    case tooManyActions(limit: Int)
    /// JSON, but no Flux Standard Action: not an object, or `type` is not a string (422).
    case badEnvelope(pointer: JSONPointer, detail: String)
    /// No action has this type; `nearest` are known ones spelled like it, closest first (422).
    case unknownType(String, nearest: [String], pointer: JSONPointer)
    /// The payload does not fit the type (422).
    case badPayload(pointer: JSONPointer, detail: String)
    /// The action is a fact, which only the server says, or a value in it is one (422).
    case factNotAllowed(String, pointer: JSONPointer)

    /// The failure of parsing a body.
    init(_ failure: DecodingFailure, maximumDepth: Int) {
        switch failure.reason {
        case .tooDeep: self = .tooDeep(limit: maximumDepth)
        case .syntax, .shape: self = .syntax(offset: failure.offset, detail: failure.detail)
        }
    }
}

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
