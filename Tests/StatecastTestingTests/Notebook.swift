import Redux
import StatecastTesting
import Testing

/// A small world for tests of the test store: notes, saved a while after writing.
struct Notebook: Sendable, Equatable {
    var notes: [String] = []
    var isSaved = true
    var isOpen = true

    enum Action: Sendable, Equatable {
        case written(String)
        case saved(Int)
        case closed
        case watched(every: Duration)
        case ticked
        case expanded([String])
        case broken
    }

    struct Full: Error, CustomStringConvertible {
        var description: String { "the disk is full" }
    }

    static let reducer: Reducer<Notebook, Action> = { (state, action, _) throws(Rejection) in
        switch action {
        case .written(let text):
            guard !text.isEmpty else {
                throw Rejection("empty-note", "A note needs some text.")
            }
            state.notes.append(text)
            state.isSaved = false
        case .saved(let count):
            guard count <= state.notes.count else {
                throw Rejection("unknown-note", "There is no such note.")
            }
            state.isSaved = count == state.notes.count
        case .closed: state.isOpen = false
        case .watched, .ticked, .expanded, .broken: break
        }
    }

    static let effects = Middleware<Notebook, Action>(
        "effects",
        intercept: { action, _, _ in
            guard case .expanded(let texts) = action else { return .pass }
            return .expand(texts.map { .written($0) })
        },
        effectsAfter: { step in
            switch step.action {
            case .watched(let interval):
                [
                    .run("watch", overlap: .latest) { context in
                        while true {
                            try await context.sleep(for: interval)
                            try await context.send(.ticked)
                        }
                    }
                ]
            case .closed: [.run("watch", overlap: .latest) { _ in }]
            case .broken: [.run("break") { _ in throw Full() }]
            case .written, .saved, .ticked, .expanded: []
            }
        })

    @WorkBuilder<Action>
    static func work(in state: Notebook) -> [Work<Action>] {
        if state.isOpen, !state.isSaved {
            Work(
                "save", for: state.notes.count, policy: .debounced(.milliseconds(300)),
                { _ in }
            ) { _ in .saved(state.notes.count) }
        }
    }

    static func store(
        _ exhaustivity: TestStore<Notebook, Action>.Exhaustivity = .exhaustive
    ) -> TestStore<Notebook, Action> {
        TestStore(
            initial: Notebook(), reducer: reducer, middleware: [effects],
            work: { work(in: $0) }, exhaustivity: exhaustivity)
    }
}
