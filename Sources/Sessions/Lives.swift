package import Bytes
import DequeModule
package import Journaling

/// The lives of one loop's sessions: what happens to each beside lying in the journal or taking
/// actions, and the requests that wait for that. A value without I/O and without a clock.
///
///     asleep ── asked for ──▶ restoring ── here ──▶ awake ── idle ──▶ sleeping ── kept ──▶ asleep
///       ▲                         └── cannot be read ──▶ unreadable ── time, reverted ───────┤
///       └───────── time ── ended ◀── forgotten ── ending ◀── ended ── awake, asleep          │
///       └────────────────────────────────────────────────────────────────────────────────────┘
///
/// A session that is awake may be `asking`: the journal tells more of it. What is asleep, or awake and
/// asks for nothing, has no entry here: sleeping sessions take no memory.
package struct Lives<Request, Problem> {
    /// Something that happens to a session now.
    package enum Stage: Sendable, Hashable, CaseIterable {
        /// It comes from the journal, or is made.
        case restoring
        /// It is awake, and the journal tells more of it.
        case asking
        /// The journal takes down what it needs to go on.
        case sleeping
        /// It has ended, and journal and application forget it.
        case ending
    }

    /// Something that is known of a session for a while.
    package enum Memory {
        /// A client has ended it.
        case ended
        /// It cannot be read.
        case unreadable(Problem)
        /// It is asleep or idle, and has nothing to do when the journal calls it.
        case rested
    }

    private typealias Waiting = (request: Request, byteCount: Int, deadline: Instant)

    private struct Life {
        var stage: Stage?
        var waiting = Deque<Waiting>()
        var byteCount = 0
        /// The request that has begun the stage does not wait any more.
        var hasLostFirst = false
        var memory: Memory?
        /// The end of the memory.
        var end = Instant.never
    }

    /// The most requests that wait for one session; one that was awake may be in many hands.
    private static func requestCount(at stage: Stage) -> Int { stage == .sleeping ? 1_024 : 64 }
    /// The most bytes of requests that wait for one session behind the first, whose own bounds are enough.
    package static var byteCount: Int { 1 << 20 }
    /// The most sessions that are restored, or wait for that.
    package static var restoringCount: Int { 10_000 }

    private let memoryCount: Int
    private var lives: [SessionName: Life] = [:]
    /// Those of which something is known, the oldest first.
    private var order = Deque<SessionName>()
    private var counts: [Stage: Int] = [:]
    private var waitingCount = 0

    /// - Parameter memoryCount: the most sessions of which something is known for a while.
    package init(memoryCount: Int) { self.memoryCount = memoryCount }

    /// All sessions are asleep, or awake and take actions.
    var isEmpty: Bool { lives.isEmpty && waitingCount == 0 }

    // MARK: What stands in the way

    /// What happens to a session now.
    package func stage(of name: SessionName) -> Stage? {
        lives.isEmpty ? nil : lives[name]?.stage
    }

    /// What is known of a session.
    package func memory(of name: SessionName, at now: Instant) -> Memory? {
        guard !lives.isEmpty, let life = lives[name] else { return nil }
        if life.stage == .ending { return .ended }
        return now < life.end ? life.memory : nil
    }

    /// The session has ended lately, or is still forgotten.
    package func hasEnded(_ name: SessionName, at now: Instant) -> Bool {
        if case .ended = memory(of: name, at: now) { true } else { false }
    }

    /// So many sessions are at a stage.
    package func count(at stage: Stage) -> Int { counts[stage, default: 0] }

    // MARK: Stages

    /// A stage begins; the end of a session displaces what else happens to it. One that is restored has
    /// to be here first: it would come back.
    ///
    /// - Returns: those who have waited for the stage that is over so; nil where another one has to
    ///   come to its end first.
    package mutating func begin(_ stage: Stage, of name: SessionName) -> [Request]? {
        var life = lives[name] ?? Life()
        let isFree =
            life.stage.map { stage == .ending && $0 != .ending && $0 != .restoring } ?? true
        guard isFree, stage != .restoring || count(at: .restoring) < Self.restoringCount
        else { return nil }
        let displaced = takeWaiting(of: &life)
        change(&life, to: stage)
        lives[name] = life
        return displaced
    }

    /// A stage has come to its end.
    ///
    /// - Returns: those who have waited for that; nil where it was over before.
    package mutating func finish(_ stage: Stage, of name: SessionName) -> [Request]? {
        guard var life = lives[name], life.stage == stage else { return nil }
        let waiting = takeWaiting(of: &life)
        change(&life, to: nil)
        lives[name] = life.memory == nil ? nil : life
        return waiting
    }

    private mutating func change(_ life: inout Life, to stage: Stage?) {
        if let former = life.stage { counts[former, default: 0] -= 1 }
        if let stage { counts[stage, default: 0] += 1 }
        life.stage = stage
    }

    // MARK: Requests

    /// The first of those that wait has begun what happens to the session now.
    package func hasFirst(_ name: SessionName) -> Bool { lives[name]?.hasLostFirst == false }

    /// A request waits for the end of a session's stage, the one that has begun it first; false where as
    /// many wait as may.
    package mutating func wait(
        _ request: Request, _ byteCount: Int = 0, for name: SessionName, until deadline: Instant
    ) -> Bool {
        guard var life = lives[name], let stage = life.stage,
            life.waiting.count < Self.requestCount(at: stage),
            life.waiting.isEmpty || life.byteCount + byteCount <= Self.byteCount
        else { return false }
        if !life.waiting.isEmpty { life.byteCount += byteCount }
        life.waiting.append((request, byteCount, deadline))
        waitingCount += 1
        lives[name] = life
        return true
    }

    /// Takes the requests that have waited for as long as they may.
    package mutating func takeOverdue(at now: Instant) -> [Request] {
        guard waitingCount > 0 else { return [] }
        var overdue: [Request] = []
        let late = lives.filter { $1.waiting.contains { $0.deadline <= now } }
        for (name, var life) in late {
            if let first = life.waiting.first, first.deadline <= now { life.hasLostFirst = true }
            overdue += life.waiting.filter { $0.deadline <= now }.map(\.request)
            life.waiting.removeAll { $0.deadline <= now }
            life.byteCount = life.waiting.dropFirst().reduce(0) { $0 + $1.byteCount }
            lives[name] = life
        }
        waitingCount -= overdue.count
        return overdue
    }

    private mutating func takeWaiting(of life: inout Life) -> [Request] {
        waitingCount -= life.waiting.count
        defer { (life.waiting, life.byteCount, life.hasLostFirst) = ([], 0, false) }
        return life.waiting.map(\.request)
    }

    // MARK: What is known

    /// Something is known of a session until an instant, or until it is forgotten for others.
    package mutating func note(_ memory: Memory, of name: SessionName, until end: Instant) {
        var life = lives[name] ?? Life()
        if life.memory == nil { order.append(name) }
        (life.memory, life.end) = (memory, end)
        lives[name] = life
        while order.count > memoryCount, let oldest = order.popFirst() { drop(oldest) }
    }

    /// Nothing is known of a session any more: what was may be another way by now.
    package mutating func forget(_ name: SessionName) {
        guard lives[name]?.memory != nil else { return }
        order.removeAll { $0 == name }
        drop(name)
    }

    private mutating func drop(_ name: SessionName) {
        lives[name]?.memory = nil
        if lives[name]?.stage == nil { lives[name] = nil }
    }
}
