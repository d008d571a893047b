import Statecast

/// A state full of words that only alice may see; the others see how often something was counted.
struct PlantedApplication: PlainApplication {
    enum Bird: Codable, Equatable, Sendable {
        case sparrow
        case nightingale(Int)
    }

    struct State: StateValue {
        var text = "swordfish"
        var number = 777_777_731
        var names = ["kingfisher": 1]
        var bird = Bird.nightingale(0)
        var told: [String] = []
        var count = 0
    }

    struct Seen: Encodable {
        var count: Int
        var all: State?
    }

    enum Action: ActionGroup {
        case counted, refused
        case told(String)
    }

    /// Everything that was planted, and what alice tells.
    static let words = [
        "swordfish", "777777731", "kingfisher", "nightingale", "oystercatcher",
    ]

    let initialState = State()

    var views: Views<State> {
        Views(
            state: View(by: { $1.id == "alice" }) { state, isAlice in
                Seen(count: state.count, all: isAlice ? state : nil)
            },
            View("mine", by: { $1.id == "alice" }) { state, isAlice in isAlice ? state : nil },
            View("each") { state, viewer in viewer.id == "alice" ? state.text : viewer.name },
            View("count") { state in state.count })
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .counted: state.count += 1
        case .refused: throw Rejection("not-now", "Not now.", field: "type")
        case .told(let text):
            guard step.by?.id == "alice" else { throw Rejection("not-yours", "Not yours.") }
            state.told.append(text)
        }
    }
}
