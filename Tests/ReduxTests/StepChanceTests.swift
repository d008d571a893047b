import Redux
import Synchronization
import Testing

/// Seeds that are told apart by their first byte: 1, 2 and so on.
private final class Seeds: Sendable {
    private let count = Mutex<UInt8>(0)

    func make() -> Seed {
        let first = count.withLock { count in
            count += 1
            return count
        }
        return Seed(bytes: [first] + [UInt8](repeating: 0, count: 31)) ?? .random()
    }
}

private func step(
    version: UInt64 = 42, epoch: String = "k3f9", seed: UInt8 = 1, by principal: Principal? = nil
) throws -> Step {
    Step(
        by: principal, at: Timestamp(milliseconds: 7), version: version,
        session: try #require(SessionID("list")), epoch: epoch,
        seed: try #require(Seed(bytes: [UInt8](repeating: seed, count: 32))), cause: 3)
}

private func draws(of step: Step, _ count: Int = 4) -> [UInt64] {
    var chance = step.makeGenerator()
    return (0..<count).map { _ in chance.next() }
}

@Suite struct `The chance of a step` {
    @Test(arguments: [false, true])
    func `comes from one seed an entry, which the entry keeps`(reacts: Bool) throws {
        let seeds = Seeds()
        let bench = StepBench(reacts: reacts) { $0.makeSeed = seeds.make }
        bench.submit(.made(ids: 1))
        bench.submit(.made(generators: 2))
        bench.submit(.made(generators: 1))
        #expect(bench.staged.map { $0.seed?.bytes.first } == [nil, 1, 2])
        for (entry, record) in zip(bench.staged, bench.records) {
            guard let seed = entry.seed else { continue }
            let again = Step(
                by: nil, at: entry.at, version: entry.version, session: record.session,
                epoch: "k3f9", seed: seed)
            #expect(record.draws == record.draws.map { _ in draws(of: again, 2) })
        }
    }

    @Test func `differs between generators, entries and stores`() {
        let benches = [StepBench(), StepBench()]
        for bench in benches { for _ in 0..<2 { bench.submit(.made(generators: 3)) } }
        let all = benches.flatMap { $0.draws.flatMap { $0 } }
        #expect(all.count == 12)
        #expect(Set(all).count == 12)
    }

    @Test func `of an action that was rejected tells nothing of that of the next one`() {
        let seeds = Seeds()
        let bench = StepBench { $0.makeSeed = seeds.make }
        bench.submit(.refused)
        bench.submit(.made(generators: 1))
        #expect(bench.staged.map { $0.seed?.bytes.first } == [2])
    }
}

@Suite struct `A step outside of a store` {
    @Test func `tells what it was made with`() throws {
        let alice = Principal("alice")
        let step = try step(by: alice)
        #expect(step.by == alice)
        #expect(step.at == Timestamp(milliseconds: 7))
        #expect(step.version == 42)
        #expect(step.cause == 3)
        #expect(step.session.description == "list")
        #expect(try step.signedIn().id == "alice")
    }

    @Test func `makes equal ids and draws where version, epoch and seed are equal`() throws {
        for _ in 0..<2 {
            let step = try step()
            #expect((0..<3).map { _ in step.makeID() } == ["k3f9-42", "k3f9-42.2", "k3f9-42.3"])
        }
        #expect(try draws(of: step()) == draws(of: step()))
        #expect(try draws(of: step()) == draws(of: step(version: 43, epoch: "other")))
        #expect(try draws(of: step()) != draws(of: step(seed: 2)))
        #expect(try step(version: 43).makeID() == "k3f9-43")
        #expect(try step(epoch: "other").makeID() == "other-42")
    }

    @Test func `has two generators that differ, in an order that does not`() throws {
        let (one, other) = (try step(), try step())
        let pair = [draws(of: one), draws(of: one)]
        #expect(pair[0] != pair[1])
        #expect(pair == [draws(of: other), draws(of: other)])
    }

    @Test func `has the system's chance where it is given no seed`() throws {
        let session = try #require(SessionID("list"))
        let all = (0..<10).map { _ in
            draws(
                of: Step(
                    by: nil, at: Timestamp(milliseconds: 0), version: 1, session: session,
                    epoch: "k3f9"))
        }
        #expect(Set(all).count == 10)
    }

    @Test func `knows nobody where the server or a stranger acts`() throws {
        for principal in [nil, Principal.anonymous] {
            let step = try step(by: principal)
            #expect(throws: Rejection("not-signed-in", "Sign in first.", kind: .forbidden)) {
                try step.signedIn()
            }
        }
    }
}
