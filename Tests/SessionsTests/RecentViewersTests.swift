import Redux
import Testing

@testable import Sessions

@Suite struct `Viewers who were shown a view lately` {
    private let store = NumberStore()
    private let low = ShownView(name: nil, viewerClass: ViewerClass(true))
    private let high = ShownView(name: nil, viewerClass: ViewerClass(false))

    private func viewer(_ number: Int, _ arguments: [String: String] = [:]) -> Viewer {
        Viewer(Principal("\(number)"), arguments: arguments)
    }

    @Test func `are known of their class alone, since they first were`() {
        var viewers = RecentViewers()
        viewers.remember(viewer(0), in: low, since: 3, at: 5)
        viewers.remember(viewer(0), in: low, since: 5, at: 9)
        #expect(viewers.since(viewer(0), in: low) == 3)
        #expect(viewers.since(viewer(0), in: high) == nil)
        #expect(viewers.since(viewer(1), in: low) == nil)
        #expect(viewers.since(viewer(0, ["id": "1"]), in: low) == nil)
    }

    @Test func `are forgotten once they are of another`() {
        var viewers = RecentViewers()
        for number in [0, 1, -1, 2] { viewers.remember(viewer(number), in: low, since: 0, at: 0) }
        viewers.remember(viewer(7), in: high, since: 0, at: 0)
        viewers.removeLeavers(by: store)
        #expect(viewers.since(viewer(0), in: low) == 0 && viewers.since(viewer(-1), in: low) == 0)
        #expect(
            viewers.since(viewer(1), in: low) == nil && viewers.since(viewer(2), in: low) == nil)
        #expect(viewers.since(viewer(7), in: high) == 0)
        #expect(viewers.byteCount == 3 * RecentViewers.viewerByteCount + 4)
        viewers.removeAll()
        #expect(viewers.isEmpty && viewers.byteCount == 0)
    }

    @Test func `take only so much memory, and those go who were away longest`() {
        var viewers = RecentViewers()
        let most = RecentViewers.greatestByteCount / RecentViewers.viewerByteCount
        for number in 0..<most { viewers.remember(viewer(number), in: low, since: 0, at: 0) }
        viewers.remember(viewer(0), in: low, since: 0, at: 1)
        #expect(viewers.byteCount <= RecentViewers.greatestByteCount)
        #expect(viewers.since(viewer(most - 1), in: low) == 0)
        #expect(viewers.since(viewer(1), in: low) == nil)
        for number in most..<(2 * most) {
            viewers.remember(viewer(number), in: low, since: 0, at: 2)
            #expect(viewers.byteCount <= RecentViewers.greatestByteCount)
        }
        let large = viewer(
            -1, ["id": String(repeating: "x", count: RecentViewers.greatestByteCount)])
        viewers.remember(large, in: low, since: 0, at: 3)
        #expect(viewers.since(large, in: low) == nil)
    }
}
