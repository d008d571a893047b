import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A projection whose clients want patches` {
    private func text(_ way: CatchUp) -> String? {
        if case .patch(let from, let operations) = way {
            return "\(from): \(String(decoding: operations, as: UTF8.self))"
        }
        return nil
    }

    /// A session of whose state patches are kept, for so many watchers.
    private func patched(watchers: Int = 0) throws -> (SessionWorld, Session, Projection) {
        let world = try SessionWorld()
        #expect(try world.session.isInScope(world.whole))
        world.session.add(watchers: watchers, to: world.whole)
        world.session.keepPatches(of: world.whole)
        world.whole.addPatchWatchers(watchers)
        return (world, world.session, world.whole)
    }

    @Test func `encodes no whole state on a step`() throws {
        let (world, session, whole) = try patched(watchers: 1)
        let (encodings, forms) = (world.store.encodingCount, world.store.formCount)
        for step in 1...100 {
            _ = world.post("1")
            #expect(
                text(whole.catchUp(from: UInt64(step - 1)))?.contains(#""value":\#(step)}"#) == true
            )
        }
        #expect(world.store.encodingCount == encodings)
        // One to begin with, and one a step.
        #expect(world.store.formCount == forms + 101)
        #expect(try session.content(of: whole)?.bytes == Array(#"{"n":100,"k":1}"#.utf8))
        #expect(whole.catchUp(from: 100) == .upToDate)
        #expect(whole.catchUp(from: 101) == .upToDate)
    }

    @Test func `forgets its patches a minute after the last of them`() throws {
        let (world, session, whole) = try patched()
        _ = world.post("1")
        #expect(try session.isInScope(whole))
        session.noteUse(at: instant(89))
        // The first look after the request, and those until a minute later.
        for seconds: Int64 in [30, 60, 89] {
            session.dropCaches(isTight: false, at: instant(seconds))
            #expect(text(whole.catchUp(from: 0)) != nil)
        }
        #expect(session.dropCaches(isTight: false, at: instant(89)) == instant(90))
        session.dropCaches(isTight: false, at: instant(90))
        #expect(whole.catchUp(from: 0) == .snapshot)
        #expect(try session.content(of: whole)?.bytes == Array(#"{"n":1,"k":1}"#.utf8))
    }

    @Test func `keeps them while a client watches, unless memory is short`() throws {
        let (world, session, whole) = try patched(watchers: 1)
        _ = world.post("1")
        for _ in 0..<200 { session.dropCaches(isTight: true, at: Instant(nanoseconds: 0)) }
        #expect(text(whole.catchUp(from: 0)) != nil)
        whole.addPatchWatchers(-1)
        session.dropCaches(isTight: true, at: Instant(nanoseconds: 0))
        #expect(whole.catchUp(from: 0) == .snapshot)
    }

    @Test func `leads on from a version that changed nothing`() throws {
        let (world, session, whole) = try patched()
        _ = world.post("0")
        #expect(try session.isInScope(whole))
        _ = world.post("5")
        #expect(try session.isInScope(whole))
        #expect(text(whole.catchUp(from: 1))?.hasPrefix("0: ") == true)
    }

    @Test func `of a view is led to by patches, and by a snapshot out of scope`() throws {
        let world = try SessionWorld(.kept)
        world.store.isPrivate = true
        let session = world.session
        _ = world.post("5")
        let seen = session.projections.find(
            nil, for: Viewer(Principal("3")))
        session.add(watchers: 1, to: seen)
        #expect(try session.content(of: seen)?.bytes == Array(#"{"n":5,"k":1}"#.utf8))
        session.keepPatches(of: seen)
        seen.addPatchWatchers(1)
        for version in 2...20 {
            _ = world.post("1")
            let value = 4 + version
            #expect(
                text(seen.catchUp(from: UInt64(version - 1)))
                    == #"\#(version - 1): [{"op":"replace","path":"/n","value":\#(value)}]"#)
        }
        #expect(try session.content(of: seen)?.bytes == Array(#"{"n":24,"k":1}"#.utf8))
        world.store.isViewUnwritable = true
        _ = world.post("1")
        #expect(seen.json == nil && seen.catchUp(from: 20) == .snapshot)
        world.store.isViewUnwritable = false
        _ = world.post("1")
        #expect(seen.catchUp(from: 21) == .snapshot)
        _ = world.post("1")
        #expect(text(seen.catchUp(from: 22))?.hasPrefix("22: ") == true)
        #expect(world.session.frozen == nil)
    }
}
