import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A session at rest` {
    @Test
    func `lets go of what can be made again half a minute after its last use, and is left alone`()
        throws
    {
        let world = try SessionWorld()
        let session = world.session
        #expect(session.dropCaches(isTight: false, at: instant(1)) == instant(30))
        _ = world.post("1")
        _ = try session.content(of: session.projections.whole)
        session.noteUse(at: instant(45))
        #expect(session.dropCaches(isTight: false, at: instant(60)) == instant(75))
        #expect(session.projections.whole.encodedAt != nil)
        #expect(session.dropCaches(isTight: false, at: instant(75)) == nil)
        #expect(session.projections.whole.encodedAt == nil)
    }

    @Test func `is looked at once more for each thing that a client has asked for`() throws {
        let world = try SessionWorld()
        let session = world.session
        _ = session.askForLog()
        _ = world.post("1")
        #expect(session.dropCaches(isTight: false, at: instant(60)) == instant(120))
        #expect(session.logging.isOn)
        #expect(session.dropCaches(isTight: false, at: instant(120)) == nil)
        #expect(!session.logging.isOn)
    }

    @Test(arguments: 0..<20) func `has counted what it holds, whatever has happened`(
        seed: UInt64
    ) throws {
        var chance = SplitMix(seed: seed)
        let world = try SessionWorld(.kept, keepsEntries: seed % 3 == 0)
        let (session, budget) = (world.session, world.context.budget)
        var watched: [Projection] = []
        for step in 0..<400 {
            let part = session.projections.find(
                try pointer("/n"), of: session.projections.whole)
            let projection = Bool.random(using: &chance) ? part : session.projections.whole
            switch Int.random(in: 0..<10, using: &chance) {
            case 0...2: _ = world.post("\(step)")
            case 3: _ = world.post("1,2", key: "\(step)")
            case 4: _ = try session.content(of: projection)
            case 5:
                _ = try session.isInScope(projection)
                session.keepPatches(of: projection)
            case 6:
                _ = try session.isInScope(projection)
                session.add(watchers: 1, to: projection)
                watched.append(projection)
            case 7: watched.popLast().map { session.add(watchers: -1, to: $0) }
            case 8:
                _ = session.askForLog()
                _ = try? session.state(at: session.version / 2)
            default:
                let isTight = Int.random(in: 0..<8, using: &chance) == 0
                session.dropCaches(isTight: isTight, at: instant(Int64(step) * 20))
            }
            let counted = budget.used
            session.countMemory()
            #expect(budget.used == counted, "seed \(seed), step \(step)")
        }
        #expect(world.context.watcherCount == watched.count)
        session.end()
        #expect(budget.used == SharedBytes.largeByteCount)
    }
}
