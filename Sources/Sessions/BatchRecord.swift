import Redux

/// The outcomes of a batch in few bytes: runs of equal ones, each its length, if that is not 1, and
/// a letter, as in `998cud`.
///
/// `c` is an action that changed the state, `u` one that did not, `d` one that was dropped and `l`
/// one that comes later. An action that became several entries has their number behind it: `c*3`.
/// The record of a single action that became several entries is their number behind `=`: `=3`.
enum BatchRecord {
    /// Actions in a row with the same outcome.
    private struct Run {
        var length: UInt64 = 1
        var letter: Character
        /// The number of entries that each became, if it became any.
        var count: UInt64 = 1

        /// `998c`
        var text: String {
            "\(length > 1 ? "\(length)" : "")\(letter)\(count > 1 ? "*\(count)" : "")"
        }
        var makesEntries: Bool { letter == "c" || letter == "u" }
        /// The number of entries of all: both factors are below 2³².
        var entryCount: UInt64 { makesEntries ? length * count : 0 }

        init(letter: Character) { self.letter = letter }

        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted(let first, let last, let changed):
                letter = changed ? "c" : "u"
                count = last - first + 1
            case .delayed: letter = "l"
            default: letter = "d"
            }
        }

        /// The outcome of an action behind the entry of a version.
        func outcome(behind version: UInt64) -> Outcome {
            if makesEntries {
                return .accepted(first: version + 1, last: version + count, changed: letter == "c")
            }
            return letter == "l" ? .delayed(.zero) : .dropped
        }
    }

    /// The record of a request; nil for one action that became one entry.
    ///
    /// - Parameter outcomes: of a batch's actions.
    static func write(_ outcomes: [Outcome]?, entryCount: UInt64) -> [UInt8]? {
        guard let outcomes else { return entryCount > 1 ? Array("=\(entryCount)".utf8) : nil }
        var runs: [Run] = []
        for outcome in outcomes {
            let run = Run(outcome)
            if let last = runs.last, last.letter == run.letter, last.count == run.count {
                runs[runs.count - 1].length += 1
            } else {
                runs.append(run)
            }
        }
        return Array(runs.map(\.text).joined().utf8)
    }

    /// The first entry that a record tells of, and the outcomes of a batch; nil where it is none, or
    /// tells of more entries than there can be.
    ///
    /// - Parameters:
    ///   - last: the version of the last entry.
    ///   - limit: the most actions.
    static func read(
        _ bytes: [UInt8], last: UInt64, limit: UInt64 = 1_000_000
    ) -> (first: UInt64, results: [Outcome]?)? {
        guard let (runs, total) = parse(bytes, limit: last) else { return nil }
        guard let runs else { return (last - total + 1, nil) }
        var version = last - total
        var count: UInt64 = 0
        var results: [Outcome] = []
        for run in runs {
            count += run.length
            guard count <= limit else { return nil }
            for _ in 0..<run.length {
                results.append(run.outcome(behind: version))
                if run.makesEntries { version += run.count }
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
            guard let run = parseRun(&text), run.entryCount <= limit - total else { return nil }
            total += run.entryCount
            runs.append(run)
        }
        return (runs, total)
    }

    private static func parseRun(_ text: inout Substring) -> Run? {
        guard let length = number(&text), let letter = text.popFirst(), "cudl".contains(letter)
        else { return nil }
        var run = Run(letter: letter)
        run.length = length
        if text.first == "*" {
            text.removeFirst()
            guard let count = number(&text), count > 1 else { return nil }
            run.count = count
        }
        return run
    }

    /// The digits at the start, 1 where there are none; nil for 0, and beyond 2³².
    private static func number(_ text: inout Substring) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return 1 }
        text.removeFirst(digits.count)
        return UInt32(digits).flatMap { $0 > 0 ? UInt64($0) : nil }
    }
}
