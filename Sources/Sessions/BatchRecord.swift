import Redux

/// The outcomes of a batch in few bytes: runs of equal ones, each its length, if that is not 1, and
/// a letter, as in `998cud`.
///
/// `c` is an action that changed the state, `u` one that did not, `d` one that was dropped and `l`
/// one that comes later. An action that became several entries has their number behind it: `c*3`.
/// The record of a single action that became several entries is their number behind `=`: `=3`.
enum BatchRecord {
    /// Actions in a row with the same outcome, and the number of entries that each became, if any.
    private typealias Run = (length: UInt64, letter: Character, count: UInt64)

    /// The record of a request; nil for one action that became one entry.
    ///
    /// - Parameter outcomes: of a batch's actions.
    static func write(_ outcomes: [Outcome]?, entryCount: UInt64) -> [UInt8]? {
        guard let outcomes else { return entryCount > 1 ? Array("=\(entryCount)".utf8) : nil }
        var runs: [Run] = []
        for outcome in outcomes {
            let (letter, count) = kind(of: outcome)
            if let last = runs.last, last.letter == letter, last.count == count {
                runs[runs.count - 1].length += 1
            } else {
                runs.append((1, letter, count))
            }
        }
        let texts = runs.map { length, letter, count in
            "\(length > 1 ? "\(length)" : "")\(letter)\(count > 1 ? "*\(count)" : "")"
        }
        return Array(texts.joined().utf8)
    }

    private static func kind(of outcome: Outcome) -> (letter: Character, count: UInt64) {
        switch outcome {
        case .accepted(let first, let last, let changed): (changed ? "c" : "u", last - first + 1)
        case .delayed: ("l", 1)
        default: ("d", 1)
        }
    }

    /// The entries of each action of a run.
    private static func entryCount(of run: Run) -> UInt64 {
        "cu".contains(run.letter) ? run.count : 0
    }

    /// The first entry that a record tells of, and the outcomes of a batch; nil where it is none, or
    /// tells of no entry, or of more than there can be.
    ///
    /// - Parameters:
    ///   - last: the version of the last entry.
    ///   - limit: the most actions.
    static func read(
        _ bytes: [UInt8], last: UInt64, limit: UInt64 = 1_000_000
    ) -> (first: UInt64, results: [Outcome]?)? {
        guard let (runs, total) = parse(bytes, limit: last), total > 0 else { return nil }
        guard let runs else { return (last - total + 1, nil) }
        var version = last - total
        var count: UInt64 = 0
        var results: [Outcome] = []
        for run in runs {
            count += run.length
            guard count <= limit else { return nil }
            let made = entryCount(of: run)
            for _ in 0..<run.length {
                if made > 0 {
                    results.append(
                        .accepted(
                            first: version + 1, last: version + made, changed: run.letter == "c"))
                } else {
                    results.append(run.letter == "l" ? .delayed(.zero) : .dropped)
                }
                version += made
            }
        }
        return (last - total + 1, results)
    }

    /// The number of entries that a record tells of; nil where it is none, or tells of more than there
    /// can be.
    static func entryCount(of bytes: [UInt8], limit: Int) -> Int? {
        parse(bytes, limit: UInt64(limit)).map { Int($0.entryCount) }
    }

    /// - Returns: the runs of a batch, nil for a single action.
    private static func parse(
        _ bytes: [UInt8], limit: UInt64
    ) -> (runs: [Run]?, entryCount: UInt64)? {
        var text = Substring(decoding: bytes, as: UTF8.self)
        if text.first == "=" {
            return UInt64(text.dropFirst()).flatMap { $0 <= limit ? (nil, $0) : nil }
        }
        guard !text.isEmpty else { return nil }
        var runs: [Run] = []
        var total: UInt64 = 0
        while !text.isEmpty {
            // Both factors are below 2³².
            guard let run = parseRun(&text), run.length * entryCount(of: run) <= limit - total
            else { return nil }
            total += run.length * entryCount(of: run)
            runs.append(run)
        }
        return (runs, total)
    }

    private static func parseRun(_ text: inout Substring) -> Run? {
        guard let length = number(&text), let letter = text.popFirst(), "cudl".contains(letter)
        else { return nil }
        guard text.first == "*" else { return (length, letter, 1) }
        text.removeFirst()
        guard let count = number(&text), count > 1 else { return nil }
        return (length, letter, count)
    }

    /// The digits at the start, 1 where there are none; nil for 0, and beyond 2³².
    private static func number(_ text: inout Substring) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return 1 }
        text.removeFirst(digits.count)
        return UInt32(digits).flatMap { $0 > 0 ? UInt64($0) : nil }
    }
}
