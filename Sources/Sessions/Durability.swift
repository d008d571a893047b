import DequeModule
import Journaling
import Redux

/// The durability of one session's entries: which of them the journal has, which answers wait for it,
/// and what an outcome leads to. A value without I/O and without a clock.
///
///     committed ≤ handed over ≤ head
///
///     open ── unknown ──▶ undecided ── reopened ──▶ open
///       └───── stale, end ─────┴──▶ ended
///
/// An answer rests on a version: the head by which it was decided. It is given once that version is
/// committed, a refusal by the reducer, too; where the version is lost, the answer is refused.
struct Durability<Answer: Hashable>: Hashable {
    /// The phases of a session.
    enum Phase: Sendable, Hashable {
        /// The session takes actions; entries may be with the journal.
        case open
        /// The journal could not say what it has kept: the session has to be opened again.
        case undecided
        /// The session is not kept here any more.
        case ended
    }

    /// The owner of this value has this to do.
    enum Step: Hashable {
        /// Makes the entries up to a version visible.
        case commit(through: UInt64)
        /// Gives an answer.
        case answer(Answer)
        /// Forgets the entries behind a version.
        case revert(to: UInt64)
        /// Refuses an answer.
        case refuse(Answer, Refusal)
        /// Opens the session again.
        case reopen
        /// Lets the session go; the next request opens it.
        case forget
    }

    private struct Batch: Hashable {
        var ticket: UInt64
        var last: UInt64
    }

    private struct Waiting: Hashable {
        var version: UInt64
        var answer: Answer
    }

    private(set) var phase: Phase
    /// Everything up to this version is kept.
    private(set) var committed: UInt64
    /// Everything up to this version is kept or with the journal.
    private(set) var handedOver: UInt64
    private var batches: Deque<Batch>
    private var waiting: Deque<Waiting>
    private var steps: [Step]

    /// A session whose entries up to a version are kept.
    init(at version: UInt64) {
        phase = .open
        batches = []
        waiting = []
        steps = []
        committed = version
        handedOver = version
    }

    /// The session takes actions.
    var acceptsEntries: Bool { phase == .open }

    /// Nothing is with the journal, and no answer waits for it.
    var isIdle: Bool { batches.isEmpty && waiting.isEmpty }

    /// There are steps to take.
    @inline(__always)
    var hasSteps: Bool { !steps.isEmpty }

    /// The steps since they were taken last, in their order.
    mutating func takeSteps() -> [Step] {
        guard !steps.isEmpty else { return [] }
        defer { steps = [] }
        return steps
    }

    // MARK: Entries

    /// Entries up to a version were handed over, and the journal has answered at once or, with nil,
    /// will do so for the ticket. Returns what the store does with them.
    mutating func handedOver(
        through last: UInt64, _ ticket: UInt64, _ outcome: AppendOutcome?
    ) -> Keeping {
        precondition(acceptsEntries, "A session that accepts nothing hands nothing over.")
        precondition(last > handedOver, "Each entry is handed over once, in its order.")
        if case .kept = outcome, batches.isEmpty, waiting.isEmpty {
            (committed, handedOver) = (last, last)
            return .kept
        }
        switch outcome {
        case nil:
            batches.append(Batch(ticket: ticket, last: last))
            handedOver = last
            return .later
        case .kept:
            // A journal keeps in order: what it was given before is kept as well.
            batches.removeAll()
            handedOver = last
            commit(through: last, isDone: true)
            return .kept
        case .refused: return .refused
        case .stale:
            // What was given to the journal before may be kept.
            lose(batches.isEmpty ? .moved : .unknown, .ended, .forget)
            return .refused
        case .unknown:
            lose(.unknown, .undecided, .reopen)
            return .refused
        }
    }

    /// The journal has answered for a batch. What it says of one that was lost meanwhile changes
    /// nothing.
    mutating func appended(_ ticket: UInt64, _ outcome: AppendOutcome) {
        guard let index = batches.firstIndex(where: { $0.ticket == ticket }) else { return }
        switch outcome {
        case .kept:
            let last = batches[index].last
            batches.removeFirst(index + 1)
            commit(through: last, isDone: false)
        case .refused(let failure):
            // Those behind it expect what is not there: they are refused as well.
            let last = index == 0 ? committed : batches[index - 1].last
            batches.removeLast(batches.count - index)
            revert(to: last, .notKept(failure))
        case .stale: lose(index == 0 ? .moved : .unknown, .ended, .forget)
        case .unknown: lose(.unknown, .undecided, .reopen)
        }
    }

    private mutating func commit(through last: UInt64, isDone: Bool) {
        precondition(last > committed, "A version is committed once.")
        committed = last
        if !isDone { steps.append(.commit(through: last)) }
        while let first = waiting.first, first.version <= last {
            steps.append(.answer(waiting.removeFirst().answer))
        }
    }

    /// The entries behind the committed version cannot be promised any more.
    private mutating func lose(_ loss: Refusal, _ phase: Phase, _ step: Step) {
        batches.removeAll()
        self.phase = phase
        revert(to: committed, loss)
        steps.append(step)
    }

    /// The entries behind a version are lost, and with them the answers that rest on them.
    private mutating func revert(to version: UInt64, _ loss: Refusal) {
        handedOver = version
        steps.append(.revert(to: version))
        let lost = waiting.count { $0.version > version }
        for waiting in waiting.suffix(lost) { steps.append(.refuse(waiting.answer, loss)) }
        waiting.removeLast(lost)
    }

    // MARK: Answers

    /// Has an answer wait for the version that it rests on, behind those that rest on the same one.
    /// A repeat of an earlier request rests on an earlier version than the latest that wait.
    mutating func wait(for version: UInt64, _ answer: Answer) {
        precondition(version > committed, "An answer that rests on what is kept is given at once.")
        let later = waiting.reversed().prefix { $0.version > version }.count
        waiting.insert(Waiting(version: version, answer: answer), at: waiting.count - later)
    }

    // MARK: Beginning and end

    /// The session was opened again: the journal holds it at this version, and nothing else counts.
    mutating func reopened(at version: UInt64) {
        guard phase == .undecided || phase == .open && isIdle else { return }
        phase = .open
        committed = version
        handedOver = version
    }

    /// The session has ended, or is let go: all that wait are refused.
    mutating func end(_ loss: Refusal = .ended) {
        guard phase != .ended else { return }
        batches.removeAll()
        phase = .ended
        for waiting in waiting { steps.append(.refuse(waiting.answer, loss)) }
        waiting.removeAll()
    }
}
