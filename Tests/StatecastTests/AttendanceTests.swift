import Redux
import Sockets
import Testing

@testable import Statecast

@Suite struct `The attendance of a session` {
    private let alice = Principal("alice"), bob = Principal("bob"), carol = Principal("carol")

    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    private func came(_ principal: Principal) -> SessionFact {
        .watchersChanged(came: [principal], left: [])
    }

    private func left(_ principal: Principal) -> SessionFact {
        .watchersChanged(came: [], left: [principal])
    }

    /// The facts of a timeline, by the second at which each is told.
    private func facts(
        _ attendance: inout Attendance, from start: Double = 0, through end: Double,
        _ change: (inout Attendance, Double) -> Void = { _, _ in }
    ) -> [Double: SessionFact] {
        var facts: [Double: SessionFact] = [:]
        for tick in stride(from: start, through: end, by: 0.5) {
            change(&attendance, tick)
            guard let due = attendance.due, due <= at(tick) else { continue }
            facts[tick] = attendance.next(at: at(tick))
        }
        return facts
    }

    @Test func `tells that a principal came at once, and that it left after ten seconds`() {
        var attendance = Attendance(absence: .seconds(10))
        let facts = facts(&attendance, through: 30) { attendance, tick in
            if tick == 0 { attendance.came(alice, at: at(0)) }
            if tick == 4 { attendance.left(alice, at: at(4)) }
        }
        #expect(facts == [0: came(alice), 14: left(alice)])
        #expect(attendance.isIdle(at: at(30)))
    }

    @Test func `is by principal, however many streams it has`() {
        var attendance = Attendance(absence: .seconds(10))
        let facts = facts(&attendance, through: 30) { attendance, tick in
            switch tick {
            case 0: for _ in 0..<3 { attendance.came(alice, at: at(0)) }
            case 1, 2, 8: attendance.left(alice, at: at(tick))
            default: break
            }
        }
        #expect(facts == [0: came(alice), 18: left(alice)])
    }

    @Test func `does not tell of a stream that comes again in time`() {
        var attendance = Attendance(absence: .seconds(10))
        let facts = facts(&attendance, through: 100) { attendance, tick in
            guard tick.remainder(dividingBy: 10) == 0 else { return }
            if tick > 0 { attendance.left(alice, at: at(tick - 9.5)) }
            attendance.came(alice, at: at(tick))
        }
        #expect(facts == [0: came(alice)])
    }

    @Test func `tells in one fact a second of all, those first that are due for the longest`() {
        var attendance = Attendance(absence: .seconds(10))
        for (index, principal) in [carol, alice, bob].enumerated() {
            attendance.came(principal, at: at(Double(index) / 10))
        }
        let coming = facts(&attendance, from: 1, through: 5)
        #expect(coming == [1: .watchersChanged(came: [carol, alice, bob], left: [])])
        for principal in [bob, alice] { attendance.left(principal, at: at(5)) }
        attendance.left(carol, at: at(5.5))
        let dan = Principal("dan")
        let going = facts(&attendance, from: 5.5, through: 30) { attendance, tick in
            // Due before those who leave.
            if tick == 14.5 { attendance.came(dan, at: at(14.5)) }
        }
        let left = SessionFact.watchersChanged(came: [], left: [alice, bob, carol])
        #expect(going == [14.5: came(dan), 15.5: left])
    }

    @Test func `tells of a crowd that comes at once in three facts, within two seconds`() {
        var attendance = Attendance(absence: .seconds(10))
        let crowd = (0..<1_500).map { Principal("\($0)") }
        var facts: [SessionFact] = []
        for principal in crowd {
            attendance.came(principal, at: at(0))
            if let fact = attendance.next(at: at(0)) { facts.append(fact) }
        }
        for second in [1, 2] { attendance.next(at: at(Double(second))).map { facts.append($0) } }
        let counts = facts.map { fact in
            if case .watchersChanged(let came, _) = fact { came.count } else { 0 }
        }
        #expect(counts == [1, Attendance.crowdCount, 499])
    }

    @Test func `says nothing of who is gone before being told of`() {
        var attendance = Attendance(absence: .zero)
        attendance.came(alice, at: at(0))
        attendance.came(bob, at: at(0))
        #expect(
            attendance.next(at: at(0)) == SessionFact.watchersChanged(came: [alice, bob], left: []))
        attendance.came(carol, at: at(0.3))
        attendance.left(carol, at: at(0.5))
        #expect(facts(&attendance, from: 0.5, through: 20).isEmpty)
    }

    @Test func `holds nothing for principals that come and go faster than it tells`() {
        var attendance = Attendance(absence: .zero)
        attendance.came(alice, at: at(0))
        _ = attendance.next(at: at(0))
        for number in 0..<10_000 {
            attendance.came(Principal("\(number)"), at: at(0.1))
            attendance.left(Principal("\(number)"), at: at(0.2))
        }
        attendance.left(alice, at: at(0.3))
        #expect(attendance.next(at: at(1)) == left(alice))
        #expect(attendance.isIdle(at: at(2)))
        #expect(!attendance.isIdle(at: at(1.5)))
    }

    @Test func `tells again what could not be told`() {
        var attendance = Attendance(absence: .zero)
        attendance.came(alice, at: at(0))
        for second in 0..<3 {
            let fact = attendance.next(at: at(Double(second)))
            #expect(fact == came(alice))
            attendance.fail(came(alice), at: at(Double(second)))
        }
        #expect(attendance.next(at: at(3)) == came(alice))
        attendance.left(alice, at: at(3))
        #expect(attendance.next(at: at(4)) == left(alice))
        attendance.fail(left(alice), at: at(4))
        #expect(attendance.next(at: at(5)) == left(alice))
        attendance.fail(left(alice), at: at(5))
        attendance.came(alice, at: at(5))
        #expect(facts(&attendance, from: 6, through: 20).isEmpty)
    }

    @Test func `forgets a coming that failed when the principal has gone by then`() {
        var attendance = Attendance(absence: .seconds(10))
        attendance.came(alice, at: at(0))
        _ = attendance.next(at: at(0))
        attendance.left(alice, at: at(0))
        attendance.fail(came(alice), at: at(0))
        #expect(facts(&attendance, through: 20).isEmpty)
    }

    @Test func `begins anew with a session that comes back`() {
        var attendance = Attendance(absence: .seconds(10))
        attendance.came(alice, at: at(0))
        attendance.came(bob, at: at(0))
        _ = attendance.next(at: at(0))
        _ = attendance.next(at: at(1))
        attendance.left(bob, at: at(1))
        attendance.restore()
        #expect(
            facts(&attendance, from: 2, through: 30)
                == [2: .restored, 3: came(alice)])
        attendance.fail(.restored, at: at(31))
        #expect(attendance.next(at: at(31)) == .restored)
    }

    @Test func `waits no second behind a fact that left no entry`() {
        var attendance = Attendance(absence: .seconds(10))
        attendance.came(alice, at: at(0))
        #expect(attendance.next(at: at(0)) == came(alice))
        attendance.came(bob, at: at(0))
        #expect(attendance.next(at: at(0)) == nil)
        attendance.skipPause()
        #expect(attendance.next(at: at(0)) == came(bob))
    }
}
