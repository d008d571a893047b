import Redux
import Statecast
import StatecastTesting
import Testing

/// An egg timer that shows the temperature of the water while somebody looks.
struct EggTimer: Application {
    struct State: StateValue {
        var rings: Timestamp?
        var degrees: Int?
    }

    enum Action: ActionGroup { case eggLaidIn, clock(ClockFact), stove(StoveFact) }
    enum ClockFact: FactGroup { case rang }
    enum StoveFact: FactGroup { case measured(degrees: Int), broken(Problem) }

    let initialState = State()
    let views = Views<State>.all
    let temperatures: @Sendable () -> AsyncStream<Int>

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .eggLaidIn: state.rings = step.at + .seconds(300)
        case .clock(.rang): state = State()
        case .stove(.measured(let degrees)): state.degrees = degrees
        case .stove(.broken): state.degrees = nil
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if let rings = state.rings {
            Work.alarm("ring", at: rings, send: .clock(.rang))
            Work.subscription("water", for: rings, policy: .whileWatched) { _, context in
                for await degrees in temperatures() {
                    try await context.send(.stove(.measured(degrees: degrees)))
                }
            } catch: {
                .stove(.broken($0))
            }
        }
    }
}

/// Something that is saved elsewhere: a feature of any application.
private struct Saving {
    struct State: StateValue {
        var text = ""
        var saved = Loadable<Done>.idle
    }

    enum Action: ActionGroup { case edited(text: String), saved(Answer<Done>) }

    let save: @Sendable (String) async throws -> Void

    func reduce(_ state: inout State, _ action: Action, _ step: Step) {
        switch action {
        case .edited(let text): (state.text, state.saved) = (text, .loading(nil))
        case .saved(let answer): state.saved.finish(answer)
        }
    }

    @WorkBuilder<Action>
    func work(in state: State) -> [Work<Action>] {
        if state.saved.isLoading {
            Work("save", for: state.text, policy: .finishing.retrying(3), save) { .saved($0) }
        }
    }
}

/// A notebook of pages, each of which is saved by itself.
private struct Pages: Application {
    struct State: StateValue { var pages: [String: Saving.State] = [:] }
    enum Action: ActionGroup { case page(id: String, Saving.Action) }

    let initialState = State()
    let views = Views<State>.all
    let saving: Saving

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .page(let id, let action):
            saving.reduce(&state.pages[id, default: .init()], action, step)
        }
    }

    func work(in state: State) -> [Work<Action>] {
        for (id, page) in state.pages {
            saving.work(in: page).map(in: id) { .page(id: id, $0) }
        }
    }
}

@Suite struct `Work that follows from the state` {
    @Test func `waits for a time, also over a restart`() {
        let store = TestStore(EggTimer(temperatures: { AsyncStream { _ in } }))
        let rings = store.time + .seconds(300)
        store.send(.eggLaidIn) { $0.rings = rings }
        store.advance(by: .seconds(299))
        #expect(store.runningWork.map(\.stage) == [.due(rings), .paused])
        store.restart()
        store.advance(by: .seconds(1))
        store.receive(.clock(.rang)) { $0.rings = nil }
        #expect(store.runningWork.isEmpty)
    }

    @Test func `of children has their names in scopes`() {
        let saves = ManualAnswers<String, Bool>()
        let saving = Saving(save: { _ = try await saves.answer(to: $0) })
        let store = TestStore(Pages(saving: saving))
        for (id, text) in [("1", "Milk"), ("2", "Salt")] {
            store.send(.page(id: id, .edited(text: text))) {
                $0.pages[id] = .init(text: text, saved: .loading(nil))
            }
        }
        #expect(store.runningWork.map(\.name) == ["1/save", "2/save"])
        for (id, text) in [("2", "Salt"), ("1", "Milk")] {
            saves.succeed(text, with: true)
            store.receive(.page(id: id, .saved(.value(Done())))) {
                $0.pages[id]?.saved = .loaded(Done())
            }
        }
    }

    @Test func `has rules that are chained by dots`() {
        let search = WorkPolicy.debounced(.milliseconds(300)).timingOut(after: .seconds(5))
        let save = WorkPolicy.finishing.retrying(3, backoff: .seconds(1))
        let refresh = WorkPolicy.throttled(.seconds(60)).whileWatched
        #expect(search != save && save != refresh)
    }
}
