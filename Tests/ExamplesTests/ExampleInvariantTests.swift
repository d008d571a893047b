import Benchmark
import BenchmarkModel
import Cards
@testable import CardsModel
import Counter
import CounterModel
@testable import Episodes
@testable import EpisodesModel
import Foundation
@testable import Rides
@testable import RidesModel
import Statecast
import StatecastTesting
import Testing

@testable import ShoppingList
import ShoppingListModel

/// What holds in every state of the examples, whatever is sent to them. `RANDOM_STEPS=100000` has
/// each try as many actions.
@Suite struct `The examples under random actions` {
    private static let steps =
        ProcessInfo.processInfo.environment["RANDOM_STEPS"].flatMap { Int($0) } ?? 1_500

    @Test func `leave a counter from where one goes up and down again`() {
        let counter = CounterApplication()
        let untried = RandomActions(counter, steps: Self.steps).check { state in
            var next = state
            let isLast = state.count == .max
            do throws(Rejection) {
                try counter.reduce(&next, .incremented(by: 1), .test())
                try counter.reduce(&next, .decremented(by: 1), .test())
                #expect(next == state && !isLast)
            } catch {
                #expect(isLast && error.code == "out-of-range")
            }
        }
        #expect(untried == [])
    }

    @Test func `leave the records of the benchmark as they are, but for their numbers`() {
        let benchmark = BenchmarkApplication()
        let untried = RandomActions(benchmark, steps: Self.steps).check { state in
            #expect(state.items.map(\.name) == benchmark.initialState.items.map(\.name))
        }
        #expect(untried == [])
    }

    @Test func `lose no card of a table, and give none to two`() throws {
        let people = [CardPlayers.alice, CardPlayers.bob, CardPlayers.carol, .anonymous]
        let untried = RandomActions(
            TableApplication(report: { _, _ in }), initial: try CardPlayers.table(seats: 3),
            as: people, steps: Self.steps
        ).check { table in
            #expect(table.game == nil || table.cards == Card.deck)
            #expect(Set(table.seats.map(\.id)).count == table.seats.count)
            #expect(table.seats.count <= table.rules.seats && table.chat.count <= 100)
            if let game = table.game {
                #expect(!game.discardPile.isEmpty)
                switch game.stage {
                case .turn(let turn):
                    #expect(table.seats.map(\.id) == game.players)
                    #expect(game.hands[turn.player]?.isEmpty == false)
                case .won(let player): #expect(game.hands[player]?.isEmpty == true)
                }
            }
            for person in people { Self.check(table, as: person.id ?? "") }
        }
        #expect(untried == [])
    }

    /// A person is shown the own hand, and no card of another's or of the draw pile.
    private static func check(_ table: TableState, as person: String) {
        let seen = SeenTable(table, by: table.seats.first(id: person)?.id)
        let game = table.game
        #expect(Set(seen.hand) == Set(game?.hands[person] ?? []))
        let others = game?.hands.filter { $0.key != person }.flatMap(\.value) ?? []
        let hidden = Set(others + (game?.drawPile ?? []))
        #expect(hidden.isDisjoint(with: seen.hand + [seen.top].compactMap { $0 }))
    }

    @Test func `keep the tables of the lobby apart, and few`() {
        let people = [CardPlayers.alice, CardPlayers.bob, CardPlayers.carol, .anonymous]
        let untried = RandomActions(
            LobbyApplication(open: { _, _ in }, end: { _, _ in }), initial: LobbyState(),
            as: people,
            options: .init(examples: [.table(.reported(id: "1", summary: TableSummary()))]),
            steps: Self.steps
        ).check { lobby in
            let all = lobby.opening + lobby.tables.map(\.opening)
            #expect(Set(all.map(\.id) + lobby.closing).count == all.count + lobby.closing.count)
            #expect(all.count + lobby.closing.count <= 100)
            for person in people {
                let own = all.filter { $0.opener == person.id }
                #expect(own.count <= 5)
            }
        }
        #expect(untried == [])
    }

    @Test func `leave the screens of the episodes in order`() {
        let untried = RandomActions(ExampleApplications.episodes, steps: Self.steps).check {
            state in
            #expect((1...50).contains(state.screens.count))
            #expect(state.screens == [.splash] || !state.screens.contains(.splash))
            #expect(state.screens.dropFirst().allSatisfy { $0.id != .home })
            for case .episode(let details) in state.screens {
                #expect(details == state[episode: details.id])
                #expect(details.comments.draft.utf8.count <= 4096)
            }
            for case .profile(let profile) in state.screens {
                #expect(profile.person == state[person: profile.userID])
            }
        }
        #expect(untried == [])
    }

    @Test func `bring no ride to where it cannot be`() throws {
        let offers: [RidesAction] = [
            .ride(.located(.value(RidesWorld.here))),
            .dropoff(.found(.value([RidesWorld.place]))),
            .option(.loaded(.value([try RidesWorld.option("o1")]))),
            .dropoff(.chosen(placeID: "p1")), .option(.chosen(optionID: "o1")),
        ]
        // The last page lies behind nine others: with this seed it is reached early.
        let steps = max(10_000, Self.steps)
        let untried = RandomActions(
            ExampleApplications.rides, options: .init(examples: offers), steps: steps, seed: 7
        ).check { state in
            switch state {
            case .launching, .running(.onboarding(.welcoming)): break
            case .running(.onboarding(.signingIn(let form))): Self.check(form)
            case .running(.onboarding(.signingUp(let form))): Self.check(form)
            case .running(.signedIn(let signedIn)):
                if case .requesting(let request) = signedIn.ride { Self.check(request) }
            }
        }
        #expect(untried == [])
    }

    private static func check<Texts>(_ form: Form<Texts>) {
        #expect(!form.busy || !form.inputsEnabled)
    }

    private static func check(_ request: RideRequest) {
        let waypoints = request.progress.waypoints
        #expect(request.map.pickup == request.pickup)
        #expect(request.map.dropoff == waypoints?.dropoff.coordinate)
        #expect(waypoints == nil || waypoints?.pickup == request.pickup)
        switch (request.step, request.progress) {
        case (.initial, .none), (.choosingDropoff, .none), (.choosingOption, .waypoints),
            (.choosingOption, .ready), (.final, .ready):
            break
        case (.choosingOption(let picker), .sending): #expect(picker.confirming)
        default: Issue.record("\(request.step) does not go with \(request.progress)")
        }
        if case .choosingOption(let picker) = request.step, let selected = picker.selected {
            #expect(picker.options.contains { $0.id == selected })
        }
    }

    @Test func `keep the shopping list short, and order no empty one`() {
        let untried = RandomActions(
            ExampleApplications.shoppingList, as: ExampleApplications.people, steps: Self.steps
        ).check { state in
            #expect(Set(state.items.map(\.id)).count == state.items.count)
            #expect(state.items.count <= 500)
            #expect(state.items.allSatisfy { (1...200).contains($0.name.utf8.count) })
            #expect(state.search.text.utf8.count <= 200)
            if case .sending(let names) = state.order { #expect(!names.isEmpty) }
            #expect(state.member?.id != "")
        }
        #expect(untried == [])
    }
}
