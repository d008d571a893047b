import Statecast

/// An application for tests of the client's side: entries, saved a while after they are written.
struct DiaryApplication: Application {
    struct State: Codable, Equatable, Sendable {
        var entries: [String] = []
        var saved = 0
        var page: Page?
    }

    struct Page: Codable, Equatable, Sendable {
        var number: Int
    }

    enum Action: Codable, Equatable, Sendable {
        case written(String)
        case opened(number: Int)
        case closed
    }

    enum Fact: Codable, Equatable, Sendable {
        case saved(Int)
    }

    let initialState = State()

    func reduce(_ state: inout State, action: Action) throws(Rejection) {
        switch action {
        case .written(let text):
            guard !text.isEmpty else {
                throw Rejection(code: "empty-entry", message: "An entry needs some text.")
            }
            state.entries.append(text)
        case .opened(let number): state.page = Page(number: number)
        case .closed: state.page = nil
        }
    }

    func reduce(_ state: inout State, fact: Fact) throws(Rejection) {
        if case .saved(let count) = fact { state.saved = count }
    }

    func effects(
        after transition: Transition<State, Input>, in session: SessionID
    ) -> [Effect<State, Input>] {
        guard case .action(.written) = transition.action else { return [] }
        let count = transition.new.entries.count
        return [
            .run("save", policy: .latest.debounced(.milliseconds(300))) {
                $0.send(.fact(.saved(count)))
            }
        ]
    }

    var views: [View<State>] {
        [View("count") { state, _ in state.entries.count }]
    }
}
