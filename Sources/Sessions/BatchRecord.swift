/// The results of a batch in few bytes: runs of equal ones, each its length, if that is not 1, and
/// a letter, as in `998cud`.
///
/// `c` is an action that changed the state, `u` one that did not, `d` one that was dropped and `l`
/// one that comes later. An action that became several entries has their number behind it: `c*3`.
/// The record of a single action that became several entries is their number behind `=`: `=3`.
enum BatchRecord {
    /// One action's outcome.
    fileprivate struct Kind: Equatable {
        var letter: UInt8
        var count: UInt64 = 1
    }

    /// The record of a batch's results.
    static func write(_ results: [ActionResult]) -> [UInt8] {
        var output: [UInt8] = []
        var run: (kind: Kind, length: UInt64)?
        func end(_ run: (kind: Kind, length: UInt64)?) {
            guard let run else { return }
            if run.length > 1 { Token.append(run.length, to: &output) }
            output.append(run.kind.letter)
            if run.kind.count > 1 {
                output.append(UInt8(ascii: "*"))
                Token.append(run.kind.count, to: &output)
            }
        }
        for result in results {
            let kind = kind(of: result)
            if let present = run, present.kind == kind {
                run = (kind, present.length + 1)
            } else {
                end(run)
                run = (kind, 1)
            }
        }
        end(run)
        return output
    }

    /// The record of one action; nil where it became one entry.
    static func write(entryCount: UInt64) -> [UInt8]? {
        guard entryCount > 1 else { return nil }
        return Array("=\(entryCount)".utf8)
    }

    /// The results in a record, of which the last entry has this version; nil where the bytes are
    /// no batch's record, or tell of more entries than there can be.
    static func read(_ bytes: [UInt8], last: UInt64, limit: Int = 1_000_000) -> [ActionResult]? {
        guard let runs = runs(bytes) else { return nil }
        var total: UInt64 = 0
        var length: UInt64 = 0
        for run in runs {
            let (entries, overflows) = run.length.multipliedReportingOverflow(by: run.kind.entries)
            guard !overflows, entries <= last, total <= last - entries, run.length <= limit else {
                return nil
            }
            total += entries
            length += run.length
        }
        guard length <= limit else { return nil }
        var version = last - total
        var results: [ActionResult] = []
        for run in runs {
            for _ in 0..<run.length {
                results.append(run.kind.result(behind: version))
                version += run.kind.entries
            }
        }
        return results
    }

    /// The number of entries in the record of a single action; nil where it is no such record.
    static func entryCount(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.first == UInt8(ascii: "=") else { return nil }
        return UInt64(String(decoding: bytes.dropFirst(), as: UTF8.self))
    }

    /// The number of entries that a record of either kind tells of; nil where it is none, or tells of
    /// more than there can be.
    static func entryCount(of bytes: [UInt8], limit: Int) -> Int? {
        var count: UInt64 = 0
        if let single = entryCount(bytes) {
            count = single
        } else {
            guard !bytes.isEmpty, let runs = runs(bytes) else { return nil }
            for run in runs {
                let (entries, overflows) =
                    run.length.multipliedReportingOverflow(by: run.kind.entries)
                guard !overflows, entries <= UInt64(limit), count <= UInt64(limit) else {
                    return nil
                }
                count += entries
            }
        }
        return count <= UInt64(limit) ? Int(count) : nil
    }

    private static func kind(of result: ActionResult) -> Kind {
        switch result {
        case .entries(_, let count, let changed):
            Kind(letter: UInt8(ascii: changed ? "c" : "u"), count: count)
        case .delayed: Kind(letter: UInt8(ascii: "l"))
        case .dropped: Kind(letter: UInt8(ascii: "d"))
        }
    }

    private static func runs(_ bytes: [UInt8]) -> [(kind: Kind, length: UInt64)]? {
        var runs: [(kind: Kind, length: UInt64)] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let length = number(&rest), let letter = rest.popFirst(),
                Array("cudl".utf8).contains(letter)
            else { return nil }
            var kind = Kind(letter: letter)
            if rest.first == UInt8(ascii: "*") {
                rest.removeFirst()
                guard let count = number(&rest), count > 1 else { return nil }
                kind.count = count
            }
            runs.append((kind, length))
        }
        return runs
    }

    /// The digits at the start, 1 where there are none; nil beyond 2³².
    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return 1 }
        rest.removeFirst(digits.count)
        guard let value = UInt32(String(decoding: digits, as: UTF8.self)), value > 0 else {
            return nil
        }
        return UInt64(value)
    }
}

extension BatchRecord.Kind {
    /// The number of entries that an action of this kind became.
    fileprivate var entries: UInt64 {
        switch letter {
        case UInt8(ascii: "c"), UInt8(ascii: "u"): count
        default: 0
        }
    }

    /// The result of an action of this kind, behind the entry of a version.
    fileprivate func result(behind version: UInt64) -> ActionResult {
        switch letter {
        case UInt8(ascii: "c"):
            .entries(last: version + count, count: count, changed: true)
        case UInt8(ascii: "u"):
            .entries(last: version + count, count: count, changed: false)
        case UInt8(ascii: "l"): .delayed
        default: .dropped
        }
    }
}
