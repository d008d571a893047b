public import Journaling
public import Redux
public import StateCoding

/// The outcome of posted actions that were taken, in versions.
@usableFromInline
package struct Decision: Sendable, Hashable {
    /// The version that the outcome rests on.
    package var version: UInt64
    /// The outcome of the action; of a batch, the entries count as those of one action.
    package let outcome: Outcome
    /// The outcomes of a batch's actions.
    package let results: [Outcome]?
    /// The request was decided before, under the same key.
    package var isRepeated = false

    /// The outcome of one action; throws what was rejected or not kept.
    ///
    /// - Parameter head: the version by which it was decided.
    @usableFromInline
    package init(_ outcome: Outcome, at head: UInt64) throws(Refusal) {
        switch outcome {
        case .accepted(_, let last, _): version = last
        case .dropped, .delayed: version = head
        case .rejected(let rejection): throw .rejected(rejection, index: nil)
        case .refused: throw .unknown
        case .queued: preconditionFailure("A request is decided while nothing else is.")
        }
        self.outcome = outcome
        results = nil
    }

    /// The outcome of a batch; throws what was rejected or not kept.
    @usableFromInline
    package init(_ batch: BatchOutcome, at head: UInt64) throws(Refusal) {
        switch batch {
        case .accepted(let results):
            outcome = results.reduce(.dropped) { Self.joined($0, $1) }
            self.results = results
            version = head
            if let roots { version = roots.upperBound }
        case .rejected(let index, let rejection): throw .rejected(rejection, index: index)
        case .refused: throw .unknown
        }
    }

    private static func joined(_ earlier: Outcome, _ later: Outcome) -> Outcome {
        switch (earlier, later) {
        case (.accepted(let first, _, let hasChanged), .accepted(_, let last, let changed)):
            .accepted(first: first, last: last, changed: hasChanged || changed)
        case (_, .accepted), (.dropped, .delayed): later
        default: earlier
        }
    }

    /// The outcome of a request that has made entries, computed again from what is kept of it.
    init(_ kept: RequestKeys.Kept) {
        version = kept.version
        let record = kept.record.flatMap { BatchRecord.read($0, last: kept.version) }
        outcome = .accepted(
            first: record?.first ?? version, last: version, changed: kept.changed)
        results = record?.results
        isRepeated = true
    }

    /// The entries of the request, whose effects a client may wait for.
    package var roots: ClosedRange<UInt64>? {
        if case .accepted(let first, let last, _) = outcome { first...last } else { nil }
    }

    /// A middleware has dropped the one action.
    package var isDropped: Bool {
        if case .dropped = outcome { results == nil } else { false }
    }

    /// A middleware has delayed the one action.
    package var isDelayed: Bool {
        if case .delayed = outcome { results == nil } else { false }
    }

    package var changed: Bool {
        if case .accepted(_, _, let changed) = outcome { changed } else { false }
    }
}

/// The answer to a request, or the place where it waits for one.
package enum Reply {
    case now(Result<Decision, Refusal>)
    /// It rests on entries that the journal has still to keep: `SessionStep.answer` has the answer.
    case later(HeldAnswer)
}

/// An outcome that waits for the journal, and the one who goes on with what it then is.
package final class HeldAnswer {
    let key: RequestKey?
    let result: Result<Decision, Refusal>
    private var goOn: ((Result<Decision, Refusal>) -> Void)?
    /// What came before anybody waited for it.
    private var early: Result<Decision, Refusal>?

    init(_ result: Result<Decision, Refusal>, _ key: RequestKey?) {
        self.key = key
        self.result = result
    }

    package func then(_ goOn: @escaping (Result<Decision, Refusal>) -> Void) {
        if let early { goOn(early) } else { self.goOn = goOn }
    }

    package func finish(_ result: Result<Decision, Refusal>) {
        guard let goOn else { return early = result }
        self.goOn = nil
        goOn(result)
    }
}

extension HeldAnswer: Hashable {
    package static func == (left: HeldAnswer, right: HeldAnswer) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The reason why a session does not do what it is asked for. What it holds is kept apart: of nearly
/// all outcomes it is no part.
@usableFromInline
package indirect enum Refusal: Error, Sendable, Hashable {
    /// The body holds no action.
    case malformed(ActionFailure)
    /// The body holds no state, or no input that the application takes.
    case unreadable(DecodingFailure)
    /// The application takes no input.
    case noInput
    /// The client's condition on the version does not hold.
    case preconditionFailed
    /// The application says no; `index` tells which action of a batch it is about.
    case rejected(Rejection, index: Int?)
    /// The idempotency key was used with another body.
    case keyReused
    /// The session remembers no more idempotency keys for now.
    case tooManyKeys
    /// The actions come more often than a limit allows, which has room for them in so many seconds.
    case tooOften(RateLimit, seconds: Int)
    /// The server holds far more memory than it may.
    case shortOfMemory
    /// Nothing is accepted any more, for this reason.
    case frozen(String)
    /// The session plays a recording.
    case replayed
    /// An action, or the state, cannot be written as JSON.
    case notEncodable(EncodingFailure)
    /// The state would be larger than allowed.
    case stateTooLarge(limit: Int)
    /// The state is about as large as it may be, and is not measured again for so many seconds.
    case stateAtLimit(seconds: Int)
    /// The state of the version is not kept any more; from this one on states are.
    case gone(oldest: UInt64)
    /// The session has not got to the version.
    case notReached
    /// The journal did not keep the entries.
    case notKept(JournalFailure)
    /// It is not known whether the entries are kept.
    case unknown
    /// Another server has the session.
    case moved
    /// The session has ended.
    case ended

    /// Entries are lost on which the answer would rest.
    package var isLoss: Bool {
        switch self {
        case .notKept, .unknown, .moved, .ended: true
        default: false
        }
    }
}
