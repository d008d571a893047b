import Benchmark
import BenchmarkModel
import Cards
@testable import CardsModel
import Counter
import CounterModel
@testable import Episodes
@testable import EpisodesModel
@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

/// The wire form of the examples is that of the files in `Wire`, which a log may hold as well.
/// `UPDATE_WIRE=1` writes them anew. The shopping list's stands with the articles' examples.
@Suite struct `The wire form of the examples` {
    @Test func `is what the counter's clients know`() {
        var seven = CounterApplication().initialState
        seven.count = 7
        WireFiles(of: CounterApplication(), in: "Wire").check(states: ["seven": seven])
    }

    @Test func `is what the load generator knows`() {
        WireFiles(of: BenchmarkApplication(), in: "Wire").check()
    }

    @Test func `is what the players of a table know`() throws {
        var dealt = try CardPlayers.table(seats: 2)
        try dealt.apply(.sat(name: "Alice"), step(by: CardPlayers.alice, version: 1))
        try dealt.apply(.sat(name: "Bob"), step(by: CardPlayers.bob, version: 2))
        try dealt.apply(.said(text: "Hi"), step(by: CardPlayers.bob, version: 3))
        WireFiles(of: TableApplication(report: { _, _ in }), in: "Wire").check(
            states: ["dealt": dealt],
            seenBy: [CardPlayers.alice, CardPlayers.bob, CardPlayers.carol])
    }

    /// A step whose random numbers are the same in every run.
    private func step(by principal: Principal, version: UInt64) throws -> Step {
        let seed = try #require(Seed(bytes: Array(repeating: 7, count: 32)))
        return Step(
            by: principal, at: Timestamp(milliseconds: 0), version: version, session: .local,
            epoch: "wire", seed: seed)
    }

    @Test func `is what the guests of the lobby know`() throws {
        var opened = LobbyState()
        try opened.apply(
            .opened(name: "Friday", seats: 3), step(by: CardPlayers.alice, version: 1))
        WireFiles(of: LobbyApplication(open: { _, _ in }, end: { _, _ in }), in: "Wire").check(
            states: ["opened": opened])
    }

    @Test func `is what the page of the episodes knows`() throws {
        var shown = EpisodesState()
        shown.screens = [.home(Home()), .episode(EpisodeDetails(id: "e1"))]
        WireFiles(of: ExampleApplications.episodes, in: "Wire").check(states: ["shown": shown])
    }

    @Test func `is what the page of the rides knows`() {
        let locating = RidesState.running(.signedIn(SignedIn(user: RidesWorld.user)))
        WireFiles(of: ExampleApplications.rides, in: "Wire").check(states: ["locating": locating])
    }

    @Test func `is told to TypeScript as it was`() {
        WireFiles(of: CounterApplication(), in: "Wire").checkTypes()
        WireFiles(of: ExampleApplications.rides, in: "Wire").checkTypes()
    }
}
