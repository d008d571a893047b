package import Redux

/// The outcome of posted actions that were taken, in versions.
package struct Decision: Sendable, Hashable {
    /// The version that the outcome rests on.
    package var version: UInt64
    package private(set) var changed = false
    package private(set) var isDropped = false
    package private(set) var isDelayed = false
    /// The results of a batch.
    package private(set) var results: [ActionResult]?
    /// The entries of the request, whose effects a client may wait for.
    package private(set) var roots: ClosedRange<UInt64>?
    /// The request was decided before, under the same key.
    package var isRepeated = false

    /// The outcome of one action.
    package init(_ outcome: Outcome, version: UInt64) {
        self.version = version
        switch ActionResult(outcome) {
        case .entries(let last, let count, let changed):
            self.version = last
            self.changed = changed
            roots = last - count + 1...last
        case .dropped: isDropped = true
        case .delayed: isDelayed = true
        }
    }

    /// The outcome of a batch.
    package init(_ results: [ActionResult], version: UInt64) {
        self.version = version
        self.results = results
        for result in results {
            guard case .entries(let last, let count, let changed) = result else { continue }
            self.version = last
            self.changed = self.changed || changed
            roots = (roots?.lowerBound ?? last - count + 1)...last
        }
    }

    /// The outcome of a request that has made entries, computed again from the record of it.
    init(_ kept: KeptOutcome) {
        let version = kept.version
        if let record = kept.record, BatchRecord.entryCount(record) == nil {
            self.init(BatchRecord.read(record, last: version) ?? [], version: version)
        } else {
            let count = kept.record.flatMap { BatchRecord.entryCount($0) } ?? 1
            let first = version - min(count, version) + 1
            let outcome = Outcome.accepted(first: first, last: version, changed: kept.changed)
            self.init(outcome, version: version)
        }
        isRepeated = true
    }

    /// The record that the outcome is computed from when its request is repeated; nil for a request
    /// that has made no entry.
    var kept: KeptOutcome? {
        guard let roots else { return nil }
        let record =
            results.map { BatchRecord.write($0) }
            ?? BatchRecord.write(entryCount: roots.upperBound - roots.lowerBound + 1)
        return KeptOutcome(version: roots.upperBound, changed: changed, record: record)
    }
}
