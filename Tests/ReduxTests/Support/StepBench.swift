import Redux
import StatecastTesting
import Synchronization

/// An action that asks its step for something.
enum StepAction: Sendable, Equatable {
    /// Asks for all that a step tells.
    case told
    /// Makes so many ids, and so many generators of which each is drawn from twice.
    case made(ids: Int = 0, generators: Int = 0)
    /// Makes an id, draws, and rejects.
    case refused
    /// Asks for nothing.
    case silent
    /// Is expanded to two of `told` by the interceptor.
    case expanded
    /// Is delayed for a second by the interceptor.
    case delayed
    /// Starts an effect that waits for a second and reports `told`.
    case worked

    /// Keeps what its step has told.
    struct Record: Sendable, Equatable {
        var by: Principal?
        var at: Int64
        var version: UInt64
        var cause: UInt64?
        var session: SessionID
        var ids: [String] = []
        var draws: [[UInt64]] = []
    }

    static let reducer: Reducer<[Record], StepAction> = {
        (records, action, step) throws(Rejection) in
        guard action != .silent else { return }
        var record = Record(
            by: step.by, at: step.at.milliseconds, version: step.version, cause: step.cause,
            session: step.session)
        switch action {
        case .made(let ids, let generators):
            record.ids = (0..<ids).map { _ in step.makeID() }
            for _ in 0..<generators {
                var chance = step.makeGenerator()
                record.draws.append([chance.next(), chance.next()])
            }
        case .refused:
            record.ids = [step.makeID()]
            var chance = step.makeGenerator()
            record.draws = [[chance.next()]]
            records.append(record)
            throw Rejection("refused", "No.")
        case .told, .silent, .expanded, .delayed, .worked: break
        }
        records.append(record)
    }

    static let middleware = Middleware<[Record], StepAction>(
        "steps",
        intercept: { action, _, _ in
            switch action {
            case .expanded: .expand([.told, .told])
            case .delayed: .delay(.seconds(1), key: nil)
            default: .pass
            }
        },
        effectsAfter: { transition in
            guard transition.action == .worked else { return [] }
            return [
                .run("work") { context in
                    try await context.sleep(for: .seconds(1))
                    try await context.send(.told)
                }
            ]
        })
}

/// A ledger of the epoch `k3f9` beside a wall clock that a test sets, and what reactions have seen.
final class StepBench {
    typealias Seen = Transition<[StepAction.Record], StepAction>

    /// Things that are written from anywhere.
    private final class Notes: Sendable {
        let wall = Mutex<Int64>(0)
        let seen = Mutex<[Seen]>([])
    }

    let ledger: Ledger<[StepAction.Record], StepAction>
    private let notes = Notes()
    /// Answers so when entries are handed over.
    var keeping = Keeping.kept
    private(set) var staged: [Entry] = []

    /// - Parameters:
    ///   - reacts: has a middleware that notes each step.
    ///   - epoch: the first part of its ids.
    ///   - lastTime: the time of the last entry that was kept.
    init(
        reacts: Bool = false, ticking: Bool = false, epoch: String = "k3f9",
        lastTime: Int64? = nil,
        checks: ReductionChecks<[StepAction.Record]>? = nil,
        _ change: (inout Environment) -> Void = { _ in }
    ) {
        let notes = notes
        var environment = Environment(
            clock: ManualClock(),
            now: {
                notes.wall.withLock { wall in
                    if ticking { wall += 1 }
                    return Timestamp(milliseconds: wall)
                }
            })
        change(&environment)
        let recorder = Middleware<[StepAction.Record], StepAction>(
            "notes",
            effectsAfter: { transition in
                notes.seen.withLock { $0.append(transition) }
                return []
            })
        ledger = Ledger(
            initial: [], reducer: StepAction.reducer, middleware: reacts ? [recorder] : [],
            checks: checks, environment: environment, session: SessionID("list"), epoch: epoch,
            lastTime: lastTime.map { Timestamp(milliseconds: $0) })
    }

    /// The time of the wall clock, in milliseconds.
    var wall: Int64 {
        get { notes.wall.withLock { $0 } }
        set { notes.wall.withLock { $0 = newValue } }
    }

    /// The steps that reactions have seen.
    var seen: [Seen] { notes.seen.withLock { $0 } }
    var records: [StepAction.Record] { ledger.state }
    var ids: [[String]] { records.map(\.ids) }
    var draws: [[[UInt64]]] { records.map(\.draws) }

    @discardableResult
    func submit(
        _ action: StepAction, by principal: Principal? = nil, at time: Int64? = nil
    ) -> Outcome {
        ledger.submit(
            action, by: principal, at: time.map { Timestamp(milliseconds: $0) }, keeping: keep)
    }

    @discardableResult
    func submit(batch actions: [StepAction], by principal: Principal? = nil) -> BatchOutcome {
        ledger.submit(batch: actions, by: principal, keeping: keep)
    }

    private func keep(_ entries: StagedEntries<[StepAction.Record], StepAction>) -> Keeping {
        staged += entries.entries.map(\.entry)
        return keeping
    }
}
