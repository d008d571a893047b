import HTTPServer

/// What a POST of actions is answered with, before it is written.
struct ActionAnswer {
    /// 200, or 202 where it was put off.
    var status = 200
    /// The version it rests on.
    var version: UInt64
    var changed = false
    var isDropped = false
    var isDelayed = false
    /// The results of a batch.
    var results: [ActionResult]?
    var settled: Bool?
    /// The versions whose effects `settle` waits for.
    var roots: ClosedRange<UInt64>?

    /// The answer to a request that has made entries, as it was given first.
    static func again(_ kept: KeptOutcome) -> ActionAnswer {
        let count: UInt64
        switch kept.record {
        case nil: count = 1
        case let record?:
            guard let entries = BatchRecord.entryCount(record) else {
                let results = BatchRecord.read(record, last: kept.version) ?? []
                return ActionAnswer(results, version: kept.version)
            }
            count = entries
        }
        let first = kept.version - min(count, kept.version) + 1
        return ActionAnswer(
            .accepted(first: first, last: kept.version, changed: kept.changed),
            version: kept.version)
    }

    /// What the answer is computed from when its request is repeated; nil for a request that has
    /// made no entry.
    var kept: KeptOutcome? {
        guard let roots else { return nil }
        let record =
            results.map { BatchRecord.write($0) }
            ?? BatchRecord.write(entryCount: roots.upperBound - roots.lowerBound + 1)
        return KeptOutcome(version: roots.upperBound, changed: changed, record: record)
    }

    /// The answer to one action.
    init(_ outcome: Outcome, version: UInt64) {
        self.version = version
        switch ActionResult(outcome) {
        case .entries(let last, let count, let changed):
            self.version = last
            self.changed = changed
            roots = last - count + 1...last
        case .dropped: isDropped = true
        case .delayed:
            isDelayed = true
            status = 202
        }
    }

    /// The answer to a batch.
    init(_ results: [ActionResult], version: UInt64) {
        self.version = version
        self.results = results
        for result in results {
            guard case .entries(let last, let count, let changed) = result else { continue }
            self.version = last
            self.changed = self.changed || changed
            roots = (roots?.lowerBound ?? last - count + 1)...last
        }
    }

    /// Appends `{"version":43,"token":"k3f9-43","changed":true}` and what else there is to say.
    func write(epoch: String, to output: inout [UInt8]) {
        output.append(contentsOf: Self.versionPart)
        Token.append(version, to: &output)
        output.append(contentsOf: Self.tokenPart)
        Token.append(epoch, version, to: &output)
        output.append(contentsOf: changed ? Self.changedPart : Self.unchangedPart)
        if isDropped { output.append(contentsOf: ",\"dropped\":true".utf8) }
        if isDelayed { output.append(contentsOf: ",\"delayed\":true".utf8) }
        if let settled {
            output.append(contentsOf: (settled ? ",\"settled\":true" : ",\"settled\":false").utf8)
        }
        if let results { write(results, to: &output) }
        output.append(UInt8(ascii: "}"))
    }

    private func write(_ results: [ActionResult], to output: inout [UInt8]) {
        output.append(contentsOf: ",\"results\":[".utf8)
        for (index, result) in results.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            result.write(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private static let versionPart = Array("{\"version\":".utf8)
    private static let tokenPart = Array(",\"token\":\"".utf8)
    private static let changedPart = Array("\",\"changed\":true".utf8)
    private static let unchangedPart = Array("\",\"changed\":false".utf8)
}
