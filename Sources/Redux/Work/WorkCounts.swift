/// The numbers of a table of works that are asked for often: kept with each change of a slot.
struct WorkCounts: Sendable {
    /// Works that have a task.
    private(set) var tasks = 0
    private(set) var waiting = 0
    /// Alarms whose actions are being decided.
    private(set) var fired = 0
    /// Works that have ended since the session was loaded, and are still listed.
    private(set) var ended = 0
    /// The works that each root waits for.
    private var roots: [UInt64: Int] = [:]
    /// Roots without work since they were asked for last.
    private(set) var releasedRoots: [UInt64] = []

    func holds(_ root: UInt64) -> Bool { roots[root] != nil }

    mutating func drainReleasedRoots() -> [UInt64] {
        defer { releasedRoots = [] }
        return releasedRoots
    }

    /// Counts a slot in place of another one.
    mutating func replace<Action: Sendable>(
        _ old: WorkSlot<Action>?, with new: WorkSlot<Action>?
    ) {
        if let new { add(new, 1) }
        if let old { add(old, -1) }
        let (held, released) = (new?.heldRoot, old?.heldRoot)
        guard held != released else { return }
        if let held { roots[held, default: 0] += 1 }
        if let released { release(released) }
    }

    private mutating func add<Action: Sendable>(_ slot: WorkSlot<Action>, _ number: Int) {
        switch slot.stage {
        case .running, .finishing: tasks += number
        case .waiting: waiting += number
        case .fired: fired += number
        case .ended(let run): if run != nil { ended += number }
        case .paused, .due: break
        }
    }

    private mutating func release(_ root: UInt64) {
        guard let count = roots[root] else { return }
        roots[root] = count > 1 ? count - 1 : nil
        if count == 1 { releasedRoots.append(root) }
    }
}
