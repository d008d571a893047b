/// The place of a name that the state lists: the newest value under it, and what goes on for it.
struct WorkSlot<Action: Sendable>: Sendable {
    enum Stage: Sendable, Hashable {
        case running(UInt64)
        /// A run of an older value is allowed to end.
        case finishing(UInt64)
        case waiting
        case paused
        /// With its last run; none where it had ended before the session was loaded.
        case ended(UInt64?)
        case due(UInt64, Timestamp)
        case fired(UInt64)
    }

    var order: WorkOrder<Action>
    var origin: WorkOrigin
    var stage = Stage.waiting
    /// Nothing has run under the name so far.
    var isFirst: Bool
    /// The time since when it is in its stage.
    var since: Timestamp
    /// When its run began or will begin, by the store's clock.
    var begin = Duration.zero
    /// The number of times that its alarm has come without effect.
    var alarmCount = 0

    /// The run that goes on for it.
    var run: UInt64? {
        switch stage {
        case .running(let run), .finishing(let run), .due(let run, _), .fired(let run): run
        case .ended(let run): run
        case .waiting, .paused: nil
        }
    }

    private var hasEnded: Bool {
        if case .ended = stage { true } else { false }
    }

    /// A task is there for it.
    var hasTask: Bool {
        switch stage {
        case .running, .finishing: true
        case .waiting, .paused, .ended, .due, .fired: false
        }
    }

    /// The root that is not settled before it has ended.
    var heldRoot: UInt64? {
        guard order.isOnce, hasTask || stage == .waiting else { return nil }
        return origin.cause.root
    }

    /// The wait before its alarm comes again: a second, doubled each time up to an hour.
    var alarmPause: Int64 {
        alarmCount < 13 ? min(1_000 << (alarmCount - 1), 3_600_000) : 3_600_000
    }

    var record: WorkRecord {
        WorkRecord(
            name: order.name, version: origin.cause.version, token: origin.token,
            alarmCount: alarmCount, hasEnded: hasEnded)
    }

    var asRunning: RunningWork? {
        let shown: RunningWork.Stage
        switch stage {
        case .running: shown = .running
        case .finishing: shown = .finishing
        case .waiting: shown = .waiting
        case .paused: shown = .paused
        case .ended: return nil
        case .due(_, let time): shown = .due(time)
        case .fired: shown = .fired
        }
        return RunningWork(
            name: order.name, cause: origin.cause.version, since: since, attempt: 0, stage: shown)
    }
}
