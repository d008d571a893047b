import Foundation
import Testing

@Suite(.serialized) struct CrashTests {
    /// `CRASH_ROUNDS=200` for a night's run.
    private static let rounds =
        ProcessInfo.processInfo.environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 6
    private static let roundsOfACrowd = 20

    @Test func `what a killed server has acknowledged is there once, and streams go on`() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        print("Seed \(seed)")
        var random = SeededGenerator(seed)
        for first in stride(from: 0, to: Self.rounds, by: Self.roundsOfACrowd) {
            let place = try Place()
            let crowd = Crowd()
            for round in first..<min(first + Self.roundsOfACrowd, Self.rounds) {
                let server = try ServerProcess(keptIn: place.path)
                if round == first { try crowd.makeSessions(on: server.port) }
                // Between the first requests, or behind many.
                let count = Int.random(
                    in: 0...Int.random(in: 0...300, using: &random), using: &random)
                crowd.post(to: server.port) {
                    crowd.wait(forMore: count)
                    server.kill()
                }
            }
            let server = try ServerProcess(keptIn: place.path)
            crowd.finish(on: server.port)
            #expect(server.terminate() == 0)
            let kept = try Kept(exportedFrom: place.path)
            for finding in crowd.compare(with: kept) { Issue.record("Seed \(seed): \(finding)") }
            print("After round \(first + 1) and on: \(crowd.summary)")
        }
    }
}
