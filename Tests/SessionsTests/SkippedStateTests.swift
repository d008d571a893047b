import Bytes
import Testing

@testable import Sessions

@Suite struct `The patches of what another server shows` {
    /// What is shown at 3 and at 5, and was perhaps something else at 4, elsewhere.
    private func shown(skipsStates: Bool) -> Projection {
        let projection = Projection(.whole, changedAt: 3)
        projection.add(watchers: 1)
        projection.keepPatches(byteLimit: 1 << 20, skipsStates: skipsStates)
        for (version, text) in [(3, #"{"a":[1]}"#), (5, #"{"a":[1,2,3]}"#)] as [(UInt64, String)] {
            projection.show(SharedBytes(Array(text.utf8)), at: version)
        }
        return projection
    }

    private func isLed(_ projection: Projection, from version: UInt64) -> Bool {
        if case .patch = projection.catchUp(from: version) { true } else { false }
    }

    @Test func `lead on from what was shown here alone`() {
        let here = shown(skipsStates: false)
        #expect(isLed(here, from: 3) && isLed(here, from: 4))
        let elsewhere = shown(skipsStates: true)
        #expect(isLed(elsewhere, from: 3))
        #expect(elsewhere.catchUp(from: 4) == .snapshot)
        #expect(elsewhere.catchUp(from: 5) == .upToDate)
    }
}
