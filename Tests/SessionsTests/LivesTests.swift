import Bytes
import Journaling
import Testing

@testable import Sessions

private typealias SessionLives = Lives<Int, String>
private let name = SessionName(mount: "/a", id: "b")

/// The life of one session: what happens to it, and what is known of it.
private enum Phase: String, CaseIterable {
    /// Or awake.
    case asleep
    case restoring, asking, sleeping, ending
    case ended, unreadable, rested

    /// A life that has come to this phase at the instant 0; what is known ends at 60.
    var lives: SessionLives {
        var lives = SessionLives(memoryCount: 2)
        switch self {
        case .asleep: break
        case .restoring: _ = lives.begin(.restoring, of: name)
        case .asking: _ = lives.begin(.asking, of: name)
        case .sleeping: _ = lives.begin(.sleeping, of: name)
        case .ending: _ = lives.begin(.ending, of: name)
        case .ended: lives.note(.ended, of: name, until: instant(60))
        case .unreadable: lives.note(.unreadable("why"), of: name, until: instant(60))
        case .rested: lives.note(.rested, of: name, until: .never)
        }
        return lives
    }

    init(_ lives: SessionLives, at now: Instant = instant(0)) {
        switch lives.stage(of: name) {
        case .restoring: self = .restoring
        case .asking: self = .asking
        case .sleeping: self = .sleeping
        case .ending: self = .ending
        case nil:
            switch lives.memory(of: name, at: now) {
            case .ended: self = .ended
            case .unreadable: self = .unreadable
            case .rested: self = .rested
            case nil: self = .asleep
            }
        }
    }
}

/// Everything that may happen to a session.
private enum Event: String, CaseIterable {
    case restore, ask, sleep, end
    case restored, answered, slept, forgotten
    case unreadable, reverted, rested
    case minute

    func happen(to lives: inout SessionLives) {
        switch self {
        case .restore: _ = lives.begin(.restoring, of: name)
        case .ask: _ = lives.begin(.asking, of: name)
        case .sleep: _ = lives.begin(.sleeping, of: name)
        case .end:
            if lives.begin(.ending, of: name) != nil {
                lives.note(.ended, of: name, until: instant(60))
            }
        case .restored: _ = lives.finish(.restoring, of: name)
        case .answered: _ = lives.finish(.asking, of: name)
        case .slept: _ = lives.finish(.sleeping, of: name)
        case .forgotten: _ = lives.finish(.ending, of: name)
        case .unreadable: lives.note(.unreadable("why"), of: name, until: instant(60))
        case .reverted: lives.forget(name)
        case .rested: lives.note(.rested, of: name, until: .never)
        case .minute: _ = lives.takeOverdue(at: instant(60))
        }
    }
}

@Suite struct `The life of a session` {
    /// What comes of each event in each phase: the columns are the events, in their order.
    private static let table = """
        asleep: restoring asking sleeping ending asleep asleep asleep asleep unreadable asleep rested asleep
        restoring: restoring restoring restoring restoring asleep restoring restoring restoring restoring restoring restoring restoring
        asking: asking asking asking ending asking asleep asking asking asking asking asking asking
        sleeping: sleeping sleeping sleeping ending sleeping sleeping asleep sleeping sleeping sleeping sleeping sleeping
        ending: ending ending ending ending ending ending ending asleep ending ending ending ending
        ended: restoring asking sleeping ending ended ended ended ended unreadable asleep rested asleep
        unreadable: restoring asking sleeping ending unreadable unreadable unreadable unreadable unreadable asleep rested asleep
        rested: restoring asking sleeping ending rested rested rested rested unreadable asleep rested rested
        """

    @Test func `goes on from every phase by every event as the table says`() {
        let rows = Phase.allCases.map { phase in
            let outcomes = Event.allCases.map { event in
                var lives = phase.lives
                event.happen(to: &lives)
                return Phase(lives, at: instant(event == .minute ? 60 : 0)).rawValue
            }
            return "\(phase): \(outcomes.joined(separator: " "))"
        }
        #expect(rows.joined(separator: "\n") == Self.table)
    }

    @Test(arguments: 0..<50) func `answers each request once, and leaves nothing behind`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        var lives = SessionLives(memoryCount: 2)
        var (waiting, answered): ([Int], [Int]) = ([], [])
        for number in 0..<400 {
            let deadline = instant(Int64(number) + Int64.random(in: 1...20, using: &random))
            if Bool.random(using: &random), lives.wait(number, 1, for: name, until: deadline) {
                waiting.append(number)
            }
            let stage = SessionLives.Stage.allCases.randomElement(using: &random) ?? .asking
            let begun = lives.stage(of: name)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let displaced = lives.begin(stage, of: name)
                let isHeld = begun == .ending || begun == .restoring
                #expect((displaced == nil) == (isHeld || begun != nil && stage != .ending))
                answered += displaced ?? []
            case 1:
                let finished = lives.finish(stage, of: name)
                #expect((finished == nil) == (begun != stage))
                answered += finished ?? []
            case 2: answered += lives.takeOverdue(at: instant(Int64(number)))
            default: lives.note(.rested, of: name, until: instant(Int64(number) + 5))
            }
            #expect(
                begun != .ending || lives.hasEnded(name, at: instant(Int64(number)))
                    || lives.stage(of: name) == nil)
        }
        if let stage = lives.stage(of: name) { answered += lives.finish(stage, of: name) ?? [] }
        #expect(answered.sorted() == waiting)
        lives.forget(name)
        #expect(lives.isEmpty)
        #expect(SessionLives.Stage.allCases.allSatisfy { lives.count(at: $0) == 0 })
    }

    @Test func `is waited for by as many requests and bytes as may, for as long as they may`() {
        var lives = Phase.restoring.lives
        // The first one may be large.
        var kept = lives.wait(0, 1 << 24, for: name, until: instant(2))
        #expect(kept)
        kept = lives.wait(1, 1 << 20 + 1, for: name, until: instant(2))
        #expect(!kept)
        for number in 1..<64 {
            let deadline = instant(Int64(2 + number / 32))
            kept = lives.wait(number, 1 << 14, for: name, until: deadline)
            #expect(kept)
        }
        kept = lives.wait(64, 0, for: name, until: instant(2))
        #expect(!kept)
        var overdue = lives.takeOverdue(at: instant(1))
        #expect(overdue == [])
        overdue = lives.takeOverdue(at: instant(2))
        #expect(overdue == Array(0..<32))
        kept = lives.wait(65, 1 << 19, for: name, until: instant(4))
        #expect(kept)
        kept = lives.wait(66, 1 << 14 + 1, for: name, until: instant(4))
        #expect(!kept)
        let finished = lives.finish(.restoring, of: name)
        #expect(finished == Array(32..<64) + [65])
        #expect(lives.isEmpty)
    }

    @Test func `is not given up for those who wait longer, and knows who has begun it`() {
        var lives = Phase.restoring.lives
        for (number, end) in [3, 1, 2, 1].enumerated() {
            _ = lives.wait(number, 1 << 18, for: name, until: instant(Int64(end)))
        }
        let full = lives.wait(4, 1 << 18 + 1, for: name, until: instant(9))
        #expect(!full)
        var overdue = lives.takeOverdue(at: instant(1))
        #expect(overdue == [1, 3] && lives.hasFirst(name))
        let next = lives.wait(5, 1 << 19, for: name, until: instant(9))
        #expect(next)
        overdue = lives.takeOverdue(at: instant(3))
        #expect(overdue == [0, 2] && !lives.hasFirst(name))
        let left = lives.finish(.restoring, of: name)
        #expect(left == [5] && lives.isEmpty)
        _ = lives.begin(.restoring, of: name)
        let large = lives.wait(6, 1 << 21, for: name, until: instant(9))
        #expect(large && lives.hasFirst(name))
    }

    @Test func `is restored beside as many others as may, or not now`() {
        var lives = SessionLives(memoryCount: 2)
        let names = (0...10_000).map { SessionName(mount: "", id: "\($0)") }
        let begun = names.map { lives.begin(.restoring, of: $0) != nil }
        #expect(begun.count { $0 } == 10_000 && begun.last == false)
        _ = lives.finish(.restoring, of: names[0])
        let isNext = lives.begin(.restoring, of: names[10_000]) != nil
        #expect(isNext)
    }

    @Test func `is remembered where few have been since, and takes no memory once it is asleep`() {
        var lives = SessionLives(memoryCount: 2)
        let names = ["a", "b", "c"].map { SessionName(mount: "", id: $0) }
        for name in names { lives.note(.ended, of: name, until: instant(60)) }
        #expect(names.map { lives.hasEnded($0, at: instant(1)) } == [false, true, true])
        for number in 0..<1_000 {
            let name = SessionName(mount: "", id: "s\(number)")
            for stage in [SessionLives.Stage.restoring, .sleeping] {
                _ = lives.begin(stage, of: name)
                _ = lives.finish(stage, of: name)
            }
        }
        for name in names { lives.forget(name) }
        #expect(lives.isEmpty)
    }
}
