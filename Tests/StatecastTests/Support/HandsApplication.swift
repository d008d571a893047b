import Statecast
import Synchronization

/// A table with hidden hands: players see their own, spectators none.
struct HandsApplication: PlainApplication {
    struct State: StateValue {
        var players: [String] = []
        var hands: [String: [Int]] = [:]
        var pile: [Int] = []
        var note = ""
    }

    /// What a client sees in place of the state.
    struct Seen: Codable, Equatable {
        var hand: [Int]?
        var counts: [String: Int]
        var pile: [Int]
        var note: String?
    }

    enum Action: ActionGroup {
        case sat, stood
        case drew(card: Int)
        case played(card: Int)
        case noted(String)
    }

    /// How often the view that stands for the state was computed.
    final class Tally: Sendable {
        private let number = Atomic<Int>(0)

        var count: Int { number.load(ordering: .relaxed) }

        func add() { number.add(1, ordering: .relaxed) }
    }

    let initialState = State()
    let tally = Tally()

    var views: Views<State> {
        Views(
            state: View(by: { state, viewer in state.players.first { $0 == viewer.id } }) {
                state, player in
                tally.add()
                return Seen(
                    hand: player.flatMap { state.hands[$0] },
                    counts: state.hands.mapValues(\.count), pile: state.pile,
                    note: player == nil ? nil : state.note)
            },
            View("pile") { state in state.pile },
            View("mine") { state, viewer in state.hands[viewer.name] },
            View("top", by: { $1.arguments["count"].flatMap { Int($0) } ?? 1 }) { state, count in
                state.pile.suffix(max(0, min(count, 10)))
            },
            View("length", of: { $0.pile.count }) { count in
                tally.add()
                return count
            },
            View("cards", of: { state, player in state.hands[player] }, by: { $1.name }) {
                hand, _ in
                tally.add()
                return hand
            },
            View(
                "note", of: { state, _ in state.note },
                by: { state, viewer in state.players.contains(viewer.name) }
            ) {
                note, isSeated in isSeated ? note : nil
            })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        let player = try step.signedIn().id
        switch action {
        case .sat:
            guard !state.players.contains(player) else { throw Rejection("seated", "You are.") }
            state.players.append(player)
            state.hands[player] = []
        case .stood:
            state.players.removeAll { $0 == player }
            state.hands[player] = nil
        case .drew(let card): state.hands[player]?.append(card)
        case .played(let card):
            guard let index = state.hands[player]?.firstIndex(of: card) else {
                throw Rejection("not-your-card", "Whose?", field: "card")
            }
            state.hands[player]?.remove(at: index)
            state.pile.append(card)
        case .noted(let text): state.note = text
        }
    }
}

extension Viewer {
    /// The id, without characters of an anonymous one.
    var name: String { id ?? "" }
}
