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
    /// The outcomes of a batch.
    var results: [Outcome]?
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
                let outcomes = BatchRecord.read(record, last: kept.version) ?? []
                return ActionAnswer(outcomes, version: kept.version)
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
        switch outcome {
        case .accepted(let first, let last, let changed):
            self.version = last
            self.changed = changed
            roots = first...last
        case .dropped: isDropped = true
        case .delayed:
            isDelayed = true
            status = 202
        case .rejected, .refused: preconditionFailure("A refusal is answered by its problem.")
        case .queued: preconditionFailure("A request finds its session's store at rest.")
        }
    }

    /// The answer to a batch.
    init(_ outcomes: [Outcome], version: UInt64) {
        self.version = version
        results = outcomes
        for outcome in outcomes {
            guard case .accepted(let first, let last, let changed) = outcome else { continue }
            self.version = last
            self.changed = self.changed || changed
            roots = (roots?.lowerBound ?? first)...last
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

    private func write(_ results: [Outcome], to output: inout [UInt8]) {
        output.append(contentsOf: ",\"results\":[".utf8)
        for (index, outcome) in results.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            switch outcome {
            case .accepted(_, let last, let changed):
                output.append(contentsOf: "{\"version\":".utf8)
                Token.append(last, to: &output)
                output.append(contentsOf: ",\"changed\":\(changed)}".utf8)
            case .delayed: output.append(contentsOf: "{\"changed\":false,\"delayed\":true}".utf8)
            case .dropped, .rejected, .refused, .queued:
                output.append(contentsOf: "{\"changed\":false,\"dropped\":true}".utf8)
            }
        }
        output.append(UInt8(ascii: "]"))
    }

    private static let versionPart = Array("{\"version\":".utf8)
    private static let tokenPart = Array(",\"token\":\"".utf8)
    private static let changedPart = Array("\",\"changed\":true".utf8)
    private static let unchangedPart = Array("\",\"changed\":false".utf8)
}
