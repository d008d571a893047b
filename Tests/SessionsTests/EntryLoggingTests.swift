import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `A session's past` {
    private func text(
        _ state: @autoclosure () throws(Refusal) -> (version: UInt64, json: SharedBytes)
    ) -> String {
        do throws(Refusal) {
            let (version, json) = try state()
            return "\(version) \(SessionsTests.text(json))"
        } catch {
            if case .gone(let oldest) = error { return "gone \(oldest)" }
            return error == .notReached ? "future" : "\(error)"
        }
    }

    private func lines(_ log: EntryLog?) -> [String] {
        guard let log else { return [] }
        return log.entries(after: log.baseVersion, limit: 100).map { entry in
            var output: [UInt8] = []
            entry.append(to: &output, withPatch: true)
            return SessionsTests.text(output)
        }
    }

    @Test func `is not kept before somebody asks`() throws {
        let world = try SessionWorld()
        _ = world.post("2")
        #expect(world.store.formCount == 0)
        #expect(text(try world.session.state(at: 0)) == "gone 1")
        #expect(text(try world.session.state(at: 1)) == #"1 {"n":2,"k":1}"#)
        #expect(text(try world.session.state(at: 2)) == "future")
        #expect(world.session.askForLog() == nil)
        _ = world.post("3", key: "k")
        #expect(
            lines(world.session.askForLog()) == [
                #"{"version":2,"at":1000,"origin":"client","key":"k","action":{},"#
                    + #""patch":[{"op":"replace","path":"/n","value":5}]}"#
            ])
        #expect(text(try world.session.state(at: 0)) == "gone 1")
        #expect(text(try world.session.state(at: 1)) == #"1 {"n":2,"k":1}"#)
        #expect(text(try world.session.state(at: 2)) == #"2 {"n":5,"k":1}"#)
    }

    @Test func `is kept from the beginning where the application says so`() throws {
        let world = try SessionWorld(keepsEntries: true)
        for body in ["1", "2,3", "0"] { _ = world.post(body) }
        let states = try (0...4).map { text(try world.session.state(at: $0)) }
        #expect(
            states == [
                #"0 {"n":0,"k":1}"#, #"1 {"n":1,"k":1}"#, #"1 {"n":1,"k":1}"#, #"3 {"n":6,"k":1}"#,
                #"4 {"n":6,"k":1}"#,
            ])
        #expect(lines(world.session.askForLog()).count == 4)
    }

    @Test func `has an entry once its journal has`() throws {
        let world = try SessionWorld(nil, keepsEntries: true)
        _ = world.post("1")
        #expect(lines(world.session.askForLog()).isEmpty)
        _ = world.appended(.kept)
        #expect(lines(world.session.askForLog()).count == 1)
        _ = world.post("5")
        _ = world.appended(.refused(.full))
        _ = world.post("7")
        _ = world.appended(.kept)
        #expect(text(try world.session.state(at: 2)) == #"2 {"n":8,"k":1}"#)
        #expect(lines(world.session.askForLog()).count == 2)
        #expect(text(try world.session.state(at: 1)) == #"1 {"n":1,"k":1}"#)
    }

    @Test func `has the present state from its last change on, wherever the log begins`() throws {
        let world = try SessionWorld()
        for body in ["1", "0"] { _ = world.post(body) }
        _ = world.session.askForLog()
        _ = world.post("0")
        #expect(world.session.askForLog()?.baseVersion == 2)
        #expect(text(try world.session.state(at: 1)) == #"1 {"n":1,"k":1}"#)
        #expect(world.session.oldestVersion == 1)
        #expect(text(try world.session.state(at: 0)) == "gone 1")
    }

    @Test func `goes a minute after the last request for it`() throws {
        let world = try SessionWorld()
        let (session, whole) = (world.session, world.session.projections.whole)
        session.keepPatches(of: whole)
        session.dropCaches(isTight: false, at: Instant(nanoseconds: 0))
        _ = world.post("1")
        #expect(text(try world.session.state(at: 0)) == #"0 {"n":0,"k":1}"#)
        for seconds: Int64 in [30, 90, 150] {
            session.dropCaches(isTight: false, at: instant(seconds))
        }
        #expect(text(try world.session.state(at: 0)) == "gone 1")
        let count = world.store.formCount
        _ = world.post("1")
        #expect(world.store.formCount == count)
    }

    @Test func `is counted as memory, and goes at once where that is short`() throws {
        let world = try SessionWorld()
        _ = world.session.askForLog()
        for _ in 0..<50 { _ = world.post("1") }
        let held = world.context.budget.used
        world.session.dropCaches(isTight: true, at: Instant(nanoseconds: 0))
        #expect(world.context.budget.used < held - 50 * 100)
    }

    @Test func `shows each viewer a state of before as the view of that state does`() throws {
        let world = try SessionWorld()
        for _ in 0..<8 { _ = world.post("1") }
        world.store.isPrivate = true
        let json = SharedBytes(Array(#"{"n":2,"k":1}"#.utf8))
        let alice = Viewer(Principal("alice"))
        let shown = try #require(
            world.session.projection(of: json, at: 7, view: nil, nil, for: alice))
        #expect(shown.json?.bytes == Array(#""alice""#.utf8))
        let bob = try #require(
            world.session.projection(
                of: json, at: 7, view: nil, nil, for: Viewer(Principal("bob"))))
        #expect(world.session.tag(shown, at: 7) != world.session.tag(bob, at: 7))
        world.store.isPrivate = false
        let part = try #require(
            world.session.projection(
                of: json, at: 7, view: nil, JSONPointer(parsing: "/n"), for: alice))
        #expect(part.json?.bytes == Array("2".utf8))
    }
}
