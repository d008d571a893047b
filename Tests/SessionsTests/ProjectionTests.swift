import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

@Suite struct `The key of a projection` {
    private func view(
        _ name: String? = "v", _ viewerClass: ViewerClass? = nil
    ) -> Projection {
        Projection(
            .view(ShownView(name: name, viewerClass: viewerClass)), hash: MemoryJournal().hash)
    }

    private func part(_ text: String, of base: Projection) throws -> Projection {
        Projection(.part(try pointer(text), of: base))
    }

    @Test func `is that of no other projection`() throws {
        let (one, two, none) = (ViewerClass(1), ViewerClass(2), ViewerClass(Int?.none))
        let whole = Projection(.whole)
        let keys = try [
            whole, part("/a", of: whole), part("/a/", of: whole), part("/a~1", of: whole),
            part("/é", of: whole), part("/e\u{301}", of: whole), part("/a", of: view(nil)),
            part("/a", of: view(nil, one)), part("/a", of: view(nil, two)),
            view(), view("v?a=1"), view("va"), view("é"), view("e\u{301}"), view("select"),
            view(nil), view("state"), view(nil, one), view(nil, two), view(nil, none),
            view("v", one), view("v", none),
        ].map(\.key)
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map { $0.suffix(by: MemoryJournal().hash) }).count == keys.count)
    }

    @Test func `of the whole state is nothing behind the token`() {
        #expect(Projection(.whole).suffix == "")
        #expect(view(nil).suffix.first == ".")
    }
}

@Suite struct `A class of viewers` {
    @Test func `is that of one key`() {
        #expect(ViewerClass("a") == ViewerClass("a"))
        #expect(ViewerClass("a") != ViewerClass("b"))
        #expect(ViewerClass("a").hashValue == ViewerClass("a").hashValue)
        #expect(ViewerClass("a").key(as: String.self) == "a")
        #expect(ViewerClass("a").key(as: Int.self) == nil)
    }

    @Test func `may be that of no seat`() {
        let (nobody, alice) = (ViewerClass(String?.none), ViewerClass(String?.some("alice")))
        #expect(nobody == ViewerClass(String?.none) && nobody != alice)
        #expect(nobody.key(as: String?.self) == .some(nil))
        #expect(alice.key(as: String?.self) == "alice")
    }
}

@Suite struct `The parts that are watched` {
    private func update(
        _ projections: Projections, _ text: String?, at version: UInt64
    ) -> [Projection] {
        projections.whole.show(text.map { SharedBytes(Array($0.utf8)) }, at: version)
        return projections.whole.updateParts(at: version)
    }

    private func projections(_ pointers: String...) throws -> (Projections, [Projection]) {
        let projections = try SessionWorld().session.projections
        let parts = try pointers.map { text in
            let part = projections.find(nil, try pointer(text), for: nobody)
            projections.add(watchers: 1, to: part)
            return part
        }
        return (projections, parts)
    }

    private let nobody = Viewer(.anonymous)

    private func texts(_ parts: [Projection]) -> [String?] {
        parts.map { $0.json.map { text($0) } }
    }

    @Test func `are found in one pass, and only those that differ are new`() throws {
        let (projections, parts) = try projections("/a", "/b/1", "/a/x", "/none")
        #expect(update(projections, #"{"a":{"x":1},"b":[1,2]}"#, at: 1).count == 3)
        #expect(texts(parts) == [#"{"x":1}"#, "2", "1", nil])
        let changed = update(projections, #"{"a":{"x":1},"b":[1,3]}"#, at: 2)
        #expect(changed.map(\.key) == [parts[1].key])
        #expect(update(projections, #"{"b":[1,3],"none":{}}"#, at: 3).count == 3)
        #expect(texts(parts) == [nil, "3", nil, "{}"])
        #expect(update(projections, nil, at: 4).count == 2)
        #expect(texts(parts) == [nil, nil, nil, nil])
    }

    @Test func `are looked for anew when others come and go`() throws {
        let (projections, parts) = try projections("/a")
        let json = #"{"a":1,"b":2}"#
        #expect(update(projections, json, at: 1).count == 1)
        let other = projections.find(nil, try pointer("/b"), for: nobody)
        projections.add(watchers: 1, to: other)
        projections.add(watchers: -1, to: parts[0])
        #expect(projections.watcherCount == 1)
        #expect(update(projections, json, at: 2).map(\.key) == [other.key])
        #expect(projections.count == 1)
    }
}

@Suite struct `A projection` {
    @Test func `keeps the forms of its JSON until that changes`() {
        let projection = Projection(.whole)
        projection.show(SharedBytes(Array("{}".utf8)), at: 1)
        let body = Projection(.whole)
        projection.body = body
        projection.audience = body
        #expect(projection.body === body)
        projection.confirm(at: 2)
        #expect(projection.body === body)
        projection.show(SharedBytes(Array("[]".utf8)), at: 3)
        #expect(projection.body == nil)
        #expect(projection.audience === body)
    }
}

@Suite struct `The answers about a session's past` {
    private let world: SessionWorld
    private var projections: Projections { world.projections }

    init() throws {
        var limits = SessionLimits()
        limits.historyByteCount = 100_000
        world = try SessionWorld(limits: limits)
    }

    private func keep(_ question: String, _ bytes: SharedBytes, of asker: UInt16 = 0) {
        projections.keep(NumberStore(), to: question, at: 0, bytes, of: asker)
    }

    private func large(_ byteCount: Int = 40_000) -> SharedBytes {
        SharedBytes([UInt8](repeating: 0, count: byteCount))
    }

    @Test func `are kept, the last four of them, as far as there is room`() {
        for number in 1...6 { keep("\(number)", SharedBytes([1])) }
        let kept = (1...6).filter { projections.pastAnswer(to: "\($0)") != nil }
        #expect(kept == [3, 4, 5, 6])
        for number in 1...3 { keep("large \(number)", large()) }
        #expect(projections.pastAnswer(to: "6") == nil)
        #expect(projections.pastAnswer(to: "large 1") == nil)
        #expect(projections.pastAnswer(to: "large 3") != nil)
        keep("too large", large(200_000))
        #expect(projections.pastAnswer(to: "too large") == nil)
    }

    @Test func `of one client take up their share, and leave room for others`() {
        var sent: [SharedBytes] = []
        // One alone may be larger than the share.
        for byteCount in [40_000, 10_000] where projections.hasRoomForPast(byteCount, of: 1) {
            sent.append(large(byteCount))
            keep("\(byteCount)", sent[0], of: 1)
        }
        #expect(sent.count == 1 && projections.hasRoomForPast(60_000, of: 2))
        sent = []
        // What is kept alone makes room.
        keep("a", large(20_000), of: 1)
        #expect(projections.hasRoomForPast(10_000, of: 1) && projections.isEmpty)
    }

    @Test func `take up room until the last client has taken them`() {
        var sent: [SharedBytes] = []
        for number in 0..<2 {
            #expect(projections.hasRoomForPast(40_000))
            sent.append(large())
            keep("\(number)", sent[number])
        }
        #expect(projections.hasRoomForPast(20_000) && !projections.hasRoomForPast(40_000))
        #expect(projections.pastAnswer(to: "0") == nil)
        sent.removeFirst()
        #expect(projections.hasRoomForPast(40_000))
        // What is larger than the room is answered alone.
        #expect(!projections.hasRoomForPast(200_000))
        sent = []
        #expect(projections.hasRoomForPast(200_000) && projections.isEmpty)
    }
}
