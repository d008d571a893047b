import Sessions
import Testing

@testable import Statecast

@Suite struct `The number of sessions` {
    private func quota(_ count: Int, share: Double) -> SessionQuota {
        var limits = SessionLimits()
        limits.sessionCount = count
        limits.sessionShare = share
        return SessionQuota(limits)
    }

    private let eve = SessionMaker.principal("eve")

    @Test func `of one client is a share of all`() {
        let quota = quota(1_000, share: 0.25)
        let made = (0..<1_000).count { _ in quota.enter(eve) }
        #expect(made == 250)
        #expect(quota.count == 250)
        #expect(quota.enter(.principal("alice")))
        quota.leave(eve)
        #expect(quota.enter(eve))
        #expect(!quota.enter(eve))
    }

    @Test func `is bounded, whoever makes them`() {
        let quota = quota(100, share: 1)
        for number in 0..<100 {
            #expect(!quota.isAlmostFull || number >= 99)
            #expect(quota.enter(.network("\(number)")))
        }
        #expect(!quota.enter(.network("1_000")))
        #expect(!quota.enter(nil))
        #expect(quota.count == 100)
        quota.leave(.network("7"))
        #expect(quota.enter(nil))
    }

    @Test func `lets everybody have a few, however small the share`() {
        let quota = quota(1_000, share: 0)
        #expect((0..<100).count { _ in quota.enter(eve) } == 16)
        let small = self.quota(3, share: 0)
        #expect((0..<100).count { _ in small.enter(eve) } == 3)
    }
}
