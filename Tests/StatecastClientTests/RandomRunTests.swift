import Foundation
import Testing

@testable import StatecastClient

@Suite struct `Random runs of clients` {
    /// A thousand take a minute: with each change of the client, by `SEEDED_RUNS=1000`.
    private static let runs =
        ProcessInfo.processInfo.environment["SEEDED_RUNS"].flatMap { Int($0) } ?? 150

    @Test func `end with equal states, and show nothing twice or missing in between`() throws {
        var all: [String: Int] = [:]
        for seed in 1...UInt64(Self.runs) {
            var world = try PaperWorld(seed: seed)
            for index in 0..<10 {
                world.post(.user, to: index % 2, in: 300 + index * 180)
            }
            if seed % 3 == 0 { world.post(.restart, to: 0, in: 900) }
            if seed % 4 == 0 { world.post(.another, to: 1, in: 1_300) }
            let isQuiet = try world.run()
            #expect(isQuiet, "seed \(seed)")
            #expect(world.tally.faults == [], "seed \(seed)")
            all.merge(world.tally.counts) { $0 + $1 }
        }
        // Each kind of accident has happened often.
        let rare = [
            "refused": 20, "silenced": 5, "batches": 5, "renamed": 5, "repeated": 5, "stopped": 20,
        ]
        for (name, share) in rare { #expect(all[name] ?? 0 > Self.runs / share, "\(all)") }
        #expect(all["lost"] ?? 0 > Self.runs && all["streams"] ?? 0 > 3 * Self.runs, "\(all)")
    }

    @Test func `show each action once where the server agrees`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
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
