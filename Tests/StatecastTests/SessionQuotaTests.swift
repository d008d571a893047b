import Journaling
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

    private let eve: UInt16 = 17

    @Test func `of one client is a share of all`() {
        let quota = quota(1_000, share: 0.25)
        let made = (0..<1_000).count { _ in quota.own(eve) }
        #expect(made == 250)
        #expect(quota.own(18))
        quota.disown(eve)
        #expect(quota.own(eve))
        #expect(!quota.own(eve))
        // Those that a journal has count, however many they are.
        #expect(quota.own(eve, isKept: true) && !quota.own(eve))
        #expect((0..<1_000).allSatisfy { _ in quota.own(0) })
    }

    @Test func `is told by a print of the maker that is the same after a restart`() {
        let hash = KeyedHash(key: Array(1...16))
        let makers = [SessionMaker.principal("eve"), .network("eve"), .principal("bob")]
        #expect(Set(makers.map { $0.print(hash) }).count == 3)
        #expect(makers[0].print(hash) == makers[0].print(KeyedHash(key: Array(1...16))))
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
        #expect((0..<100).count { _ in quota.own(eve) } == 16)
        let small = self.quota(3, share: 0)
        #expect((0..<100).count { _ in small.own(eve) } == 3)
    }
}
