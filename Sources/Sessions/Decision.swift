public import Redux

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

/// The outcome of a posted body, as its store tells it.
@usableFromInline
package enum Submission {
    case single(Outcome)
    case batch(BatchOutcome)

    /// The journal did not take the entries.
    var isRefused: Bool {
        switch self {
        case .single(.refused), .batch(.refused): true
        default: false
        }
    }

    /// The outcome for the client.
    ///
    /// - Parameters:
    ///   - head: the version by which the actions were decided.
    ///   - refusal: the reason why the entries were not appended, if they were not.
    func result(at head: UInt64, _ refusal: Refusal?) -> Result<Decision, Refusal> {
        switch self {
        case .single(.rejected(let rejection)): .failure(.rejected(rejection, index: nil))
        case .batch(.rejected(let index, let rejection)):
            .failure(.rejected(rejection, index: index))
        case .single(.refused), .batch(.refused): .failure(refusal ?? .lost(.unknown))
        case .single(let outcome): .success(Decision(outcome, version: head))
        case .batch(.accepted(let outcomes)):
            .success(Decision(outcomes.map { ActionResult($0) }, version: head))
        }
    }
}

/// The result of one action of a batch whose actions were all taken.
package enum ActionResult: Sendable, Hashable {
    /// The action became entries, mostly one, up to a version.
    case entries(last: UInt64, count: UInt64, changed: Bool)
    /// A middleware has delayed the action.
    case delayed
    /// A middleware has dropped the action.
    case dropped

    package init(_ outcome: Outcome) {
        switch outcome {
        case .accepted(let first, let last, let changed):
            precondition(first <= last, "The entries of an action have an order.")
            self = .entries(last: last, count: last - first + 1, changed: changed)
        case .dropped: self = .dropped
        case .delayed: self = .delayed
        case .rejected, .refused: preconditionFailure("A refusal is no result.")
        case .queued: preconditionFailure("A request finds its session's store at rest.")
        }
    }
}
