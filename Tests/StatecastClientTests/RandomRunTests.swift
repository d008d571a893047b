import Testing

@testable import StatecastClient

@Suite struct `Random runs of clients` {
    @Test func `end with equal states, and show nothing twice or missing in between`() throws {
        var all = PaperWorld.Tally()
        for seed in 1...1_000 as ClosedRange<UInt64> {
            var world = try PaperWorld(seed: seed)
            for index in 0..<10 {
                world.post(.user, to: index % 2, in: 300 + index * 180)
            }
            let isQuiet = try world.run()
            #expect(isQuiet, "seed \(seed)")
            #expect(world.tally.faults == [], "seed \(seed)")
            all.lost += world.tally.lost
            all.refused += world.tally.refused
            all.renamed += world.tally.renamed
            all.repeated += world.tally.repeated
            all.streams += world.tally.streams
        }
        // Each kind of accident has happened often.
        #expect(all.lost > 1_000 && all.refused > 50 && all.renamed > 200, "\(all)")
        #expect(all.repeated > 200 && all.streams > 3_000, "\(all)")
    }

    @Test func `show each action once where the server agrees`() throws {
        for seed in 1...100 as ClosedRange<UInt64> {
            var world = try PaperWorld(seed: seed, clients: 1, losesPercent: 0)
            // The board comes first.
            world.post(.wake, to: 0, in: 7_999)
            _ = try world.run(until: 8_000)
            for _ in 0..<6 { try world.send(.stroked, by: 0) }
            let isQuiet = try world.run()
            #expect(isQuiet && world.clients[0].shownCount == 7, "seed \(seed)")
        }
    }
}
