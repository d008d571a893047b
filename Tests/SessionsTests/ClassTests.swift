import Bytes
import Journaling
import Redux
import StateCoding
import Testing

@testable import Sessions

/// Sessions whose viewers see the number, or `null` until it has reached their own.
@Suite struct `The classes of a session's viewers` {
    private func world(input: Int = 0, limits: SessionLimits = SessionLimits()) throws
        -> SessionWorld
    {
        let world = try SessionWorld(limits: limits)
        world.store.isPrivate = true
        world.store.input = input
        #expect(world.post("5") == ["taken 1 changed"])
        return world
    }

    private func find(_ number: Int, in world: SessionWorld) -> Projection {
        world.projections.find(
            nil, for: Viewer(Principal("\(number)")))
    }

    private func part(_ text: String, of number: Int, in world: SessionWorld) throws -> Projection {
        world.projections.find(
            try pointer(text), of: find(number, in: world))
    }

    private func text(_ projection: Projection, in world: SessionWorld) throws -> String? {
        try world.session.content(of: projection).map { SessionsTests.text($0) }
    }

    @Test func `share a projection each, and none has the tags of another`() throws {
        let world = try world()
        let (low, high) = (find(3, in: world), find(7, in: world))
        #expect(try text(low, in: world) == #"{"n":5,"k":1}"#)
        #expect(try text(high, in: world) == #"{"n":null,"k":1}"#)
        #expect(find(4, in: world) === low && find(8, in: world) === high)
        #expect(low !== world.projections.whole)
        let tag = try #require(
            ProjectionTag(String(decoding: world.session.tag(low), as: UTF8.self)))
        #expect(world.isPresent(tag, in: low))
        #expect(!world.isPresent(tag, in: high))
        #expect(!world.isPresent(tag, in: world.projections.whole))
    }

    @Test func `are encoded once each, however many read and watch`() throws {
        let world = try world()
        for number in 0..<500 { _ = try text(find(number % 10, in: world), in: world) }
        #expect(world.store.viewCount == 2)
        for number in 0..<500 { world.session.add(watchers: 1, to: find(number % 10, in: world)) }
        #expect(
            world.post("0") + world.post("-1")
                == ["taken 2", "taken 3 changed", "regroup", #"publish {"n":4,"k":1}"#])
        #expect(world.store.viewCount == 4)
        #expect(world.projections.count == 2)
    }

    @Test func `are asked for once a change, where clients are of one`() throws {
        let world = try world()
        let seen = find(9, in: world)
        world.session.add(watchers: 1, to: seen)
        _ = try text(seen, in: world)
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish"])
        #expect(world.post("0") == ["taken 3"])
        world.session.add(watchers: -1, to: seen)
        world.session.add(
            watchers: 1,
            to: world.projections.find("sign", for: Viewer(Principal("9")))
        )
        #expect(world.post("1") == ["taken 4 changed", #"publish "+""#])
    }

    @Test(arguments: [AppendOutcome.kept, nil])
    func `are shown what takes long in several turns, and until then nothing else is committed`(
        _ outcome: AppendOutcome?
    ) throws {
        let world = try SessionWorld(outcome)
        func post(_ body: String) -> [String] {
            (world.post(body) + world.appended(.kept)).filter { !$0.hasPrefix("taken") }
        }
        _ = post("1")
        let signs = (0..<40).map { number in
            Projection(
                .view(ShownView(name: "sign", viewerClass: ViewerClass(number))), changedAt: 1)
        }
        for sign in signs {
            _ = try text(sign, in: world)
            world.session.add(watchers: 1, to: sign)
        }
        world.store.viewDuration = 3_000_000
        func published(_ sign: String, _ count: Int) -> String {
            "publish" + String(repeating: " \"\(sign)\"", count: count)
        }
        #expect(post("-2").contains(published("-", 8)))
        let late = signs.filter { world.session.isLate($0) }
        #expect(late.count == 32)
        #expect(post("2") == ["held"] && post("no") == ["held"] && world.session.version == 2)
        let last = late[31]
        #expect(try text(last, in: world) == #""-""# && world.session.isLate(last))
        #expect(world.publishMore(isEarly: true) == published("-", 1))
        #expect(!world.session.isLate(last))
        for _ in 0..<3 {
            #expect(world.publishMore() == published("-", 8) && world.steps() == [])
        }
        #expect(world.publishMore() == published("-", 7))
        #expect(world.publishMore() == published("-", 0))
        #expect(
            world.steps()
                == ["regroup", published("+", 8), "answer 3 changed", "answer rejected"])
        world.session.end()
        #expect(!world.session.isPublishing && !world.session.isLate(signs[0]))
    }

    @Test func `may lose their bytes while others are still to be shown`() throws {
        let world = try world()
        let (seen, other) = (find(3, in: world), find(30, in: world))
        let part = try part("/n", of: 3, in: world)
        for projection in [part, other] {
            _ = try text(projection, in: world)
            world.session.add(watchers: 1, to: projection)
        }
        world.session.keepPatches(of: seen)
        world.store.viewDuration = 30_000_000
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish 6"])
        _ = world.session.dropCaches(isTight: true, at: instant(0))
        #expect(world.session.isPublishing && world.publishMore() == "publish")
        #expect(try text(seen, in: world) == #"{"n":6,"k":1}"#)
    }

    @Test func `may be others after a change`() throws {
        let world = try world()
        let (old, part) = (find(7, in: world), try part("/n", of: 7, in: world))
        #expect(try text(part, in: world) == "null")
        #expect(world.post("5") == ["taken 2 changed"])
        let viewer = Viewer(Principal("7"))
        let new = world.projections.find(like: old, nil, for: viewer)
        let newPart = world.projections.find(like: part, nil, for: viewer)
        #expect(try text(new, in: world) == #"{"n":10,"k":1}"#)
        #expect(new !== old && new === find(7, in: world))
        #expect(try text(newPart, in: world) == "10")
        #expect(newPart.key != part.key && newPart.suffix != part.suffix)
    }

    @Test func `have parts, found in what they see`() throws {
        let world = try world()
        let (low, high) = (try part("/n", of: 3, in: world), try part("/n", of: 7, in: world))
        #expect(try text(low, in: world) == "5")
        #expect(try text(high, in: world) == "null")
        world.session.add(watchers: 1, to: low)
        world.session.add(waiters: 1, to: high)
        #expect(world.projections.count == 4)
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish 6"])
        world.session.add(watchers: -1, to: low)
        world.session.add(waiters: -1, to: high)
        #expect(world.projections.count == 0)
        #expect(world.session.isUnused)
    }

    @Test func `take room among the projections, parts with what they are parts of`() throws {
        var limits = SessionLimits()
        limits.projectionCount = 3
        let world = try world(limits: limits)
        let (low, eve) = (try part("/n", of: 3, in: world), 7 as UInt16)
        func hasRoom(_ projection: Projection) -> Bool {
            world.projections.hasRoom(for: projection, of: eve, limits)
        }
        #expect(hasRoom(low))
        world.session.add(watchers: 1, to: low, of: eve)
        #expect(hasRoom(find(3, in: world)) && hasRoom(find(7, in: world)))
        #expect(!hasRoom(try part("/n", of: 7, in: world)))
        #expect(hasRoom(try part("/k", of: 3, in: world)))
    }

    @Test func `have room before selections, of which one client has a share`() throws {
        var limits = SessionLimits()
        limits.projectionCount = 40
        let world = try world(limits: limits)
        var parts: [Projection] = []
        for client in [7, 8, 9] as [UInt16] {
            for number in 0..<40 {
                let part = world.projections.find(
                    JSONPointer(tokens: ["\(client) \(number)"]), of: world.whole)
                guard world.projections.hasRoom(for: part, of: client, limits) else { break }
                world.session.add(watchers: 1, to: part, of: client)
                parts.append(part)
            }
        }
        #expect(parts.count == 40 && parts.count { $0.chooser == 7 } == 16)
        let hands = (0...40).map {
            Projection(.view(ShownView(name: "hand", viewerClass: ViewerClass($0))))
        }
        for hand in hands.dropLast() {
            #expect(world.projections.hasRoom(for: hand, of: 0, limits))
            world.session.add(watchers: 1, to: hand)
        }
        #expect(!world.projections.hasRoom(for: hands[40], of: 0, limits))
        for part in parts { world.session.add(watchers: -1, to: part) }
        #expect(world.projections.hasRoom(for: parts[0], of: 7, limits) == false)
        world.session.add(watchers: -1, to: hands[0])
        #expect(world.projections.hasRoom(for: parts[0], of: 7, limits))
    }

    @Test func `are shown nothing where that cannot be written, and the session goes on`() throws {
        let world = try world()
        let seen = find(3, in: world)
        world.session.add(watchers: 1, to: seen)
        #expect(try text(seen, in: world) != nil)
        world.store.isViewUnwritable = true
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish nothing"])
        #expect(world.reportCount == 1)
        world.store.isViewUnwritable = false
        #expect(world.post("1") == ["taken 3 changed", "regroup", #"publish {"n":7,"k":1}"#])
        #expect(world.session.frozen == nil)
    }

    @Test func `keep their bytes while the input of the view is equal`() throws {
        let world = try world(input: 1)
        let seen = find(3, in: world)
        world.session.add(watchers: 1, to: seen)
        #expect(try text(seen, in: world) == #"{"n":5,"k":1}"#)
        seen.body = seen
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish"])
        #expect(try text(seen, in: world) == #"{"n":5,"k":1}"#)
        #expect(seen.body === seen && world.store.viewCount == 1)
        world.store.input = 2
        #expect(world.post("1") == ["taken 3 changed", "regroup", #"publish {"n":7,"k":1}"#])
        #expect(world.store.viewCount == 2)
        seen.body = nil
        world.session.add(watchers: -1, to: seen)
    }

    @Test func `are asked together whether their inputs have changed, and encoded where one has`()
        throws
    {
        let world = try world(input: 1)
        let (low, high) = (find(3, in: world), find(9, in: world))
        for seen in [low, high] {
            world.session.add(watchers: 1, to: seen)
            #expect(try text(seen, in: world) != nil)
        }
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish"])
        #expect(world.store.comparisonCount == 1 && world.store.viewCount == 2)
        #expect(low.encodedAt == 2 && high.encodedAt == 2 && low.lastChange == 1)
        world.store.input = 2
        #expect(world.post("1") == ["taken 3 changed", "regroup", #"publish {"n":7,"k":1}"#])
        #expect(world.store.comparisonCount == 2 && world.store.viewCount == 4)
        #expect(low.lastChange == 3 && high.lastChange == 1)
    }

    @Test func `are asked in several turns where comparing their inputs takes long`() throws {
        let world = try world(input: 1)
        let seats = (0..<40).map { number in
            Projection(
                .view(ShownView(name: nil, viewerClass: ViewerClass(number))), changedAt: 1)
        }
        for seat in seats {
            _ = try text(seat, in: world)
            world.session.add(watchers: 1, to: seat)
        }
        world.store.comparisonDuration = 3_000_000
        #expect(world.post("1") == ["taken 2 changed", "regroup", "publish"])
        for asked in stride(from: 2, through: 10, by: 2) {
            #expect(world.store.comparisonCount == asked && world.session.isPublishing)
            #expect(world.publishMore() == "publish")
        }
        #expect(!world.session.isPublishing && world.store.comparisonCount == 10)
        #expect(seats.allSatisfy { $0.encodedAt == 2 && $0.lastChange == 1 })
    }

    @Test func `are published though a client has read them before`() throws {
        let world = try world()
        let seen = find(3, in: world)
        world.session.add(watchers: 1, to: seen)
        #expect(try text(seen, in: world) == #"{"n":5,"k":1}"#)
        world.store.commitUnseen(1)
        #expect(try text(seen, in: world) == #"{"n":6,"k":1}"#)
        var steps: [SessionStep] = []
        while let step = world.session.nextStep(at: Timestamp(milliseconds: 0)) {
            steps.append(step)
        }
        guard case .publish(_, let others) = steps.last else {
            Issue.record("nothing is published")
            return
        }
        #expect(others.map(\.key) == [seen.key])
    }
}
