@testable import HTTPServer
import Testing

@Suite struct LoopAffinityTests {
    /// The routes of requests to these loops, nil for one that is answered here.
    private func routes(_ loops: [Int?], limit: Int) -> [LoopAffinity.Route?] {
        var affinity = LoopAffinity()
        return loops.map { index in
            guard let index else {
                affinity.stayed()
                return nil
            }
            return affinity.chooseRoute(to: LoopDestination(loopIndex: index), limit: limit)
        }
    }

    @Test func `a client that keeps asking for one other loop moves there`() {
        #expect(routes([1, 1, 1], limit: 2) == [.forward, .forward, .move])
        #expect(routes([1, 2, 1, 2], limit: 2) == [.forward, .forward, .forward, .forward])
        #expect(routes([1, 1, nil, 1], limit: 2) == [.forward, .forward, nil, .forward])
        #expect(routes([1], limit: 0) == [.move])
    }

    @Test func `a stream moves at once`() {
        var affinity = LoopAffinity()
        let destination = LoopDestination(loopIndex: 65_535, isStream: true)
        #expect(affinity.chooseRoute(to: destination, limit: 100) == .move)
        #expect(affinity.target == 65_535)
    }

    @Test func `no number of requests is too large to be counted`() {
        let routes = routes(Array(repeating: 1, count: 70_000), limit: .max)
        #expect(routes.lastIndex(of: .forward) == 254)
    }
}
