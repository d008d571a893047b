import Bytes
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `The projections of a session` {
    private func view(_ name: String, _ viewerClass: ViewerClass? = nil) -> Projection {
        Projection(.view(ShownView(name: name, viewerClass: viewerClass)))
    }

    @Test func `finds what has clients, and makes anew what has none`() throws {
        let table = try SessionWorld().session.projections
        let viewer = Viewer(Principal("ada"))
        let sign = table.find("sign", for: viewer)
        #expect(table.find("sign", for: viewer) !== sign)
        table.add(watchers: 1, to: sign)
        table.add(waiters: 1, to: sign)
        #expect(table.find("sign", for: viewer) === sign)
        table.add(watchers: -1, to: sign)
        #expect(table.find("sign", for: viewer) === sign)
        table.add(waiters: -1, to: sign)
        #expect(table.find("sign", for: viewer) !== sign)
        #expect(!table.hasClients && table.count == 0)
    }

    /// A whole state of 70 KB as of the beginning.
    private func largeWorld() throws -> SessionWorld {
        let world = try SessionWorld()
        let text = String(repeating: "x", count: 70_000)
        world.whole.show(SharedBytes(Array(#"{"a":"\#(text)","b":1}"#.utf8)), at: 0)
        return world
    }

    @Test func `keeps a large part until the state changes`() throws {
        let world = try largeWorld()
        func find(_ name: String) throws -> Projection {
            let part = world.projections.find(
                nil, JSONPointer(tokens: [name]), for: Viewer(.anonymous))
            #expect(try world.session.content(of: part) != nil)
            return part
        }
        let (large, small) = (try find("a"), try find("b"))
        #expect(try find("a") === large)
        #expect(try find("b") !== small)
        _ = world.post("1")
        let next = world.projections.find(
            nil, JSONPointer(tokens: ["a"]), for: Viewer(.anonymous))
        #expect(next !== large)
    }

    @Test func `encodes a large state from what it was, also where nobody follows it`() throws {
        for world in [try SessionWorld(), try largeWorld()] {
            let isLarge = try world.session.content(of: world.whole)?.count ?? 0 > 1_000
            _ = world.post("1")
            _ = try world.session.content(of: world.whole)
            #expect(world.store.formCount == (isLarge ? 1 : 0))
        }
    }

    @Test func `keeps the base of a part as long as the part`() throws {
        let table = try SessionWorld().session.projections
        let base = view("sign")
        let pointer = try #require(JSONPointer(parsing: "/a"))
        let part = table.find(pointer, of: base)
        var limits = SessionLimits()
        limits.projectionCount = 1
        #expect(table.hasRoom(for: base, of: 7, limits))
        #expect(!table.hasRoom(for: part, of: 7, limits))
        table.add(waiters: 1, to: part)
        #expect(table.count == 2)
        #expect(table.views["sign"]?.map(\.key) == [base.key])
        table.add(waiters: -1, to: part)
        #expect(table.count == 0 && table.views.isEmpty)
    }

    @Test func `tells the views of classes from the others, however they come and go`() throws {
        let table = try SessionWorld().session.projections
        let shared = view("sign")
        let hands = (0..<5).map { view("hand", ViewerClass($0)) }
        for projection in [shared] + hands { table.add(watchers: 1, to: projection) }
        #expect(table.classed["hand"]?.count == 5)
        let part = table.find(JSONPointer(tokens: ["a"]), of: hands[2])
        table.add(waiters: 1, to: part)
        #expect(table.classed["hand"]?.map(\.key) == (hands + [part]).map(\.key))
        #expect(table.classed.count == 1)
        table.add(waiters: -1, to: part)
        for gone in [hands[4], hands[0], hands[2]] { table.add(watchers: -1, to: gone) }
        #expect(Set((table.classed["hand"] ?? []).map(\.key)) == [hands[1].key, hands[3].key])
        let keys = Set(table.views.values.joined().map(\.key))
        #expect(keys == [shared.key, hands[1].key, hands[3].key])
        for gone in [hands[1], hands[3]] { table.add(watchers: -1, to: gone) }
        #expect(table.classed.isEmpty && table.views["sign"]?.map(\.key) == [shared.key])
    }
}
