/// A report of an effect or of work, on its way back to the store that owns it.
public struct StoreDelivery<Action: Sendable>: Sendable {
    enum Content: Sendable {
        /// It has sent an action, and goes on.
        case sent(Action)
        /// It is over, with the action that says so, if there is one. The error is for operators; nil
        /// where there was none, or the action says it all.
        case ended(Action?, error: String? = nil)
        /// The time of the earliest alarm has come.
        case alarmDue
    }

    /// The run that it is of; 0 for alarms.
    let run: UInt64
    let content: Content
}

/// What is to be done on account of works and effects.
enum WorkStep<Action: Sendable>: Sendable {
    case start(WorkRun<Action>)
    /// Nothing more of the run is heard.
    case cancel(UInt64)
    /// Lets the try that is under way be the last one, and cancels a run that is between two.
    /// The end of the run is waited for.
    case finish(UInt64)
    /// Delivers `alarmDue` at a time, in place of the time before; nil: at none.
    case arm(Timestamp?)
    /// An action is to be dispatched.
    case report(Action, Arrival)
    case diagnose(StoreDiagnostic, causedBy: Cause? = nil)
    /// An effect has ended by itself, which an entry has started.
    case effectEnded(Cause)
}

/// The memory of a piece of work that outlives the session in memory.
@usableFromInline
package struct WorkRecord: Sendable, Hashable, Codable {
    /// The full name, as text.
    package var name: String
    /// The version that wanted it first.
    package var version: UInt64
    /// That entry's token.
    package var token: String
    /// The number of times that an alarm has come without effect.
    package var alarmCount: Int
    /// It has ended, and is still wanted: it does not start again.
    package var hasEnded: Bool

    /// The name of the record that is of all works without one.
    package static let ofOthers = ""

    package init(
        name: String, version: UInt64, token: String, alarmCount: Int = 0, hasEnded: Bool = false
    ) {
        (self.name, self.version, self.token) = (name, version, token)
        (self.alarmCount, self.hasEnded) = (alarmCount, hasEnded)
    }
}

/// What an entry does to the works of its session, as it has to be known after a crash.
@usableFromInline
package struct WorkNews: Sendable, Equatable {
    /// Works that the state behind it wants and the one before it did not, or in another form.
    package var starts: [String] = []
    /// Works that are not wanted any more.
    package var ends: [String] = []
    /// The work whose last report it is, or the alarm.
    package var done: String?
    /// What the session has to be in memory for, as `WorkSource.wakingTime` says.
    package var wakingTime: Timestamp?

    package var isEmpty: Bool { starts.isEmpty && ends.isEmpty && done == nil }

    @usableFromInline init() {}
}

extension Ledger {
    /// What entries do to the works that the last decided state wants, on which they stand.
    @inlinable
    package func workNews(of staged: StagedEntries<State, Action>, at time: Timestamp) -> WorkNews {
        // Looked for where the types are known, for few states want any.
        if case .one = staged.content {
            guard staged.changed, let source = consequences.source else { return WorkNews() }
            if source.isListed(committed, []), source.isListed(staged.state, []) {
                return WorkNews()
            }
        }
        return compareWorks(of: staged, at: time)
    }

    @usableFromInline
    func compareWorks(of staged: StagedEntries<State, Action>, at time: Timestamp) -> WorkNews {
        var news = WorkNews()
        if case .decided(let proposal) = staged.content, proposal.arrival.endsRun {
            news.done = proposal.arrival.effect
        }
        guard let source = consequences.source, staged.changed else { return news }
        let (old, new) = (source.list(head), source.list(staged.state))
        news.wakingTime = Work.wakingTime(of: new, in: step.session, at: time)
        if old.elementsEqual(new, by: { $0.isSame($1.name, $1.value) }) { return news }
        var list = WorkList()
        var former = WorkChanges<Action>(lastSlot: 0)
        list.replace(with: old, of: step.session, &former)
        var changes = WorkChanges<Action>(lastSlot: former.lastSlot)
        list.replace(with: new, of: step.session, &changes)
        news.starts = changes.wanted.map(\.name)
        news.ends = former.wanted.filter { changes.gone.contains($0.slot) }.map(\.name)
        return news
    }
}

/// A piece of work that a session has going on.
public struct RunningWork: Sendable, Hashable {
    /// The stage of a piece of work.
    public enum Stage: Sendable, Hashable {
        case running
        /// Another value of its name is allowed to end first.
        case finishing
        /// As many as allowed are running.
        case waiting
        /// Nobody watches.
        case paused
        /// The alarm comes at this time.
        case due(Timestamp)
        /// The alarm has come, and its action is being decided.
        case fired
    }

    /// Its full name, with the scopes around it.
    public let name: String
    /// The version that wanted it.
    public let cause: UInt64
    /// The time since when it is in its stage.
    public let since: Timestamp
    /// The number of the present try; 0 before the first one, and of an alarm.
    public internal(set) var attempt: Int
    /// Its stage.
    public let stage: Stage
}

/// An effect that is running or waiting to begin.
public struct RunningEffect: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// The version that started it.
    public let cause: UInt64
    /// The version, not itself caused by an effect, at the beginning of the chain.
    package let root: UInt64
    /// The number of effects that lie between the root and this one.
    package let depth: Int
    /// When it began or was queued.
    package let startedAt: Timestamp
    /// Another one of its name runs, and it waits for its turn.
    public let isWaiting: Bool
}

/// The news of works that are no part of the state.
public enum WorkDiagnostic: Sendable, Hashable {
    /// Two works of a state have one name: only the first one counts.
    case namedTwice(name: String)
    /// As many works as allowed are running: others wait.
    case exhausted(limit: Int)
    /// Work has ended with an error, and has no action that says so.
    case failed(name: String, error: String)
    /// Work has ended with an error, and has reported it as a problem that does not tell it.
    case problemReported(name: String, error: String)
    /// An alarm has come so many times, and the state still wants it.
    case alarmRepeats(name: String, count: Int)
}
