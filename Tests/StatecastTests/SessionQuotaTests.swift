import Journaling
import Sessions
import Sockets
import Testing

@testable import Statecast

@Suite struct `The number of sessions` {
    private func quota(_ count: Int, share: Double) -> SessionQuota {
        var limits = SessionLimits()
        limits.sessionCount = count
        limits.sessionShare = share
        return SessionQuota(limits, MemoryBudget(limit: 1, loopCount: 1))
    }

    private let eve: UInt16 = 17

    private func name(_ number: Int) -> SessionName {
        SessionName(mount: "/a", id: "s\(number)")
    }

    @Test func `of one client is a share of all`() {
        let quota = quota(1_000, share: 0.25)
        quota.countedAll()
        let made = (0..<1_000).count { quota.own(eve, of: name($0)) }
        #expect(made == 250)
        #expect(quota.own(18, of: name(0)))
        quota.disown(eve, of: name(0))
        #expect(quota.own(eve, of: name(0)))
        #expect(!quota.own(eve, of: name(0)))
        for server in [0, SessionQuota.forSomebody] {
            #expect((0..<1_000).allSatisfy { quota.own(server, of: name($0)) })
        }
    }

    @Test func `counts each session once, whichever comes first: its making, its end or the count`()
    {
        let quota = quota(4, share: 1)
        // Of 1 to 4 that a journal has, 1 is counted and goes, and 3 goes before.
        #expect(quota.own(eve, of: name(2)))
        quota.count(eve, of: name(1))
        quota.disown(eve, of: name(1))
        quota.disown(eve, of: name(3))
        quota.count(eve, of: name(2))
        quota.count(eve, of: name(4))
        #expect(quota.own(eve, of: name(0)) && quota.own(eve, of: name(5)))
        #expect(!quota.own(eve, of: name(6)))
        quota.disown(eve, of: name(5))
        quota.countedAll()
        quota.disown(eve, of: name(2))
        #expect(quota.own(eve, of: name(6)) && quota.own(eve, of: name(7)))
        #expect(!quota.own(eve, of: name(8)))
    }

    @Test func `is counted anew where other servers make and end them, too`() {
        let quota = quota(4, share: 1)
        quota.countedAll()
        for number in 0..<4 { #expect(quota.own(eve, of: name(number))) }
        #expect(!quota.own(eve, of: name(4)))
        // 0 and 1 were ended elsewhere. Until that is known, the former numbers count.
        quota.countAnew()
        #expect(!quota.own(eve, of: name(5)))
        quota.count(eve, of: name(2))
        quota.disown(eve, of: name(3))
        #expect(quota.own(eve, of: name(6), isKept: false))
        quota.disown(eve, of: name(2))
        #expect(quota.own(eve, of: name(5)))
        for number in [4, 5] { quota.count(eve, of: name(number)) }
        quota.countedAll()
        // There are 4, 5 and the replay.
        #expect(quota.own(eve, of: name(7)) && !quota.own(eve, of: name(8)))
        quota.disown(eve, of: name(6), isKept: false)
        #expect(quota.own(eve, of: name(8)) && !quota.own(eve, of: name(9)))
    }

    @Test func `that a journal keeps begins to sleep at nine tenths, and ends at eight`() {
        let found = [1, 3, 90, 1_000].map { limit in
            let quota = quota(limit, share: 1)
            let begins = (1...limit).first { _ in
                _ = quota.enter()
                return quota.lacksRoom(isMakingRoom: false)
            }
            while quota.lacksRoom(isMakingRoom: true) { quota.leave() }
            return [begins ?? 0, quota.count]
        }
        #expect(found == [[1, 0], [3, 2], [81, 72], [900, 800]])
    }

    @Test func `is bounded, whoever makes them`() {
        let quota = quota(100, share: 1)
        for number in 0..<100 {
            #expect(!quota.isAlmostFull || number >= 99)
            #expect(quota.enter())
        }
        #expect(!quota.enter())
        #expect(quota.count == 100)
        quota.leave()
        #expect(quota.enter())
    }

    @Test func `lets everybody have a few, however small the share`() {
        let quota = quota(1_000, share: 0)
        #expect((0..<100).count { quota.own(eve, of: name($0)) } == 16)
        let small = self.quota(3, share: 0)
        #expect((0..<100).count { small.own(eve, of: name($0)) } == 3)
    }
}
