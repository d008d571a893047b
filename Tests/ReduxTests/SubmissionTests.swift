import Redux
import Synchronization
import Testing

private enum Action: Sendable, Equatable {
    case added(Int)
    case doubled
    case refused
    /// Followed by `added` of the number.
    case followed(by: Int)
}

private typealias Entries = StagedEntries<[Int], Action>

/// A store with a journal that notes what it is handed.
private final class Desk {
    let store: Store<[Int], Action>
    private(set) var handed: [(versions: [UInt64], state: [Int])] = []
    private var answers: [Keeping] = []

    init(reacts: Bool = true) {
        let reducer: Reducer<[Int], Action> = { (state, action, _) throws(Rejection) in
            switch action {
            case .added(let number): state.append(number)
            case .doubled: state = state.map { $0 * 2 }
            case .refused: throw Rejection("refused", "No.")
            case .followed: break
            }
        }
        store = Store(
            initial: [], reducer: reducer,
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        guard reacts else { return }
        let notes = Notes()
        self.notes = notes
        store.middleware = [
            Middleware(
                "reactions",
                effectsAfter: { step in
                    notes.add(step.old, step.new)
                    guard case .followed(let number) = step.action else { return [] }
                    return [.send(.added(number))]
                })
        ]
    }

    private var notes: Notes?
    var seen: [[[Int]]] { notes?.steps ?? [] }

    /// Answers so, one after the other, and from then on the last of them.
    func answer(_ answers: Keeping...) { self.answers = answers }

    func keep(_ entries: Entries) -> Keeping {
        handed.append((entries.entries.map(\.entry.version), entries.state))
        return answers.count > 1 ? answers.removeFirst() : answers.first ?? .kept
    }

    /// The steps that reactions have seen.
    private final class Notes: Sendable {
        private let list = Mutex<[[[Int]]]>([])
        var steps: [[[Int]]] { list.withLock { $0 } }
        func add(_ old: [Int], _ new: [Int]) { list.withLock { $0.append([old, new]) } }
    }
}

@Suite struct `Submitting to a journal` {
    @Test(arguments: [true, false])
    func `hands each entry over once, before it is committed`(reacts: Bool) {
        let desk = Desk(reacts: reacts)
        var states: [[Int]] = []
        _ = desk.store.submit(.added(1)) { entries in
            states.append(desk.store.state)
            return desk.keep(entries)
        }
        #expect(states == [[]])
        #expect(desk.handed.map(\.versions) == [[1]])
        #expect(desk.handed.map(\.state) == [[1]])
        #expect(desk.store.state == [1])
    }

    @Test(arguments: [true, false])
    func `leaves no trace of what is refused at once`(reacts: Bool) {
        let desk = Desk(reacts: reacts)
        desk.store.dispatch(.added(1))
        desk.answer(.refused)
        #expect(desk.store.submit(.added(2), keeping: desk.keep) == .refused)
        #expect(desk.store.submit(batch: [.added(2), .doubled], keeping: desk.keep) == .refused)
        #expect(desk.store.state == [1])
        #expect(desk.store.head == [1])
        #expect(desk.store.headVersion == 1)
        #expect(desk.store.uncommitted.isEmpty)
        #expect(desk.store.dispatch(.added(3)) == .accepted(first: 2, last: 2, changed: true))
    }

    @Test func `asks the journal for nothing that the reducer refuses`() {
        let desk = Desk()
        guard case .rejected = desk.store.submit(.refused, keeping: desk.keep) else {
            Issue.record("The reducer's no was passed over.")
            return
        }
        #expect(desk.handed.isEmpty)
    }

    @Test func `hands a batch over as one, and each action that follows by itself`() {
        let desk = Desk()
        desk.store.submit(batch: [.added(1), .followed(by: 9), .doubled], keeping: desk.keep)
        #expect(desk.handed.map(\.versions) == [[1, 2, 3], [4]])
        #expect(desk.handed.map(\.state) == [[2], [2, 9]])
    }

    @Test func `has what follows wait for what it follows from`() {
        let desk = Desk()
        desk.answer(.later)
        _ = desk.store.submit(.followed(by: 9), keeping: desk.keep)
        #expect(desk.handed.map(\.versions) == [[1]])
        desk.store.commit(through: 1)
        #expect(desk.store.hasCausedActions)
        desk.store.submitCausedActions(keeping: desk.keep)
        #expect(desk.handed.map(\.versions) == [[1], [2]])
        #expect(desk.store.uncommitted.map(\.cause) == [1])
        desk.store.commit(through: 2)
        #expect(desk.store.state == [9])
    }
}

/// How many states are in memory.
private final class Population: Sendable {
    private let count = Atomic(0)
    var size: Int { count.load(ordering: .relaxed) }
    func change(by difference: Int) { count.add(difference, ordering: .relaxed) }
}

/// A state that is counted as long as it is in memory.
private struct Counted: Sendable, Equatable {
    private final class Membership: Sendable {
        private let population: Population

        init(_ population: Population) {
            self.population = population
            population.change(by: 1)
        }

        deinit { population.change(by: -1) }
    }

    let number: Int
    private let membership: Membership

    init(_ number: Int, _ population: Population) {
        self.number = number
        membership = Membership(population)
    }

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
}

@Suite struct `A batch` {
    @Test(arguments: [false, true])
    func `keeps one state while it waits, however many actions it has`(reacts: Bool) {
        let population = Population()
        let store = Store<Counted, Int>(
            initial: Counted(0, population),
            reducer: { state, number, _ in state = Counted(number, population) },
            middleware: reacts ? [Middleware("reaction", effectsAfter: { _ in [] })] : [],
            environment: Environment(now: { Timestamp(milliseconds: 0) }))
        store.submit(batch: Array(1...1_000)) { _ in .later }
        #expect(population.size == 2)
        store.commit(through: 1_000)
        #expect(store.state.number == 1_000)
        #expect(population.size == 1)
    }

    @Test func `shows reactions each of its steps`() {
        let desk = Desk()
        desk.answer(.later)
        desk.store.submit(batch: [.added(1), .doubled, .added(5)], keeping: desk.keep)
        #expect(desk.seen.isEmpty)
        desk.store.commit(through: 3)
        #expect(desk.seen == [[[], [1]], [[1], [2]], [[2], [2, 5]]])
    }

    @Test func `shows reactions an action that an interceptor expands step by step`() {
        let desk = Desk()
        desk.store.middleware.insert(
            Middleware(
                "expander",
                intercept: { action, _, _ in
                    action == .doubled ? .expand([.added(7), .added(8)]) : .pass
                }), at: 0)
        #expect(
            desk.store.submit(.doubled, keeping: desk.keep)
                == .accepted(first: 1, last: 2, changed: true))
        #expect(desk.handed.map(\.versions) == [[1, 2]])
        #expect(desk.seen == [[[], [7]], [[7], [7, 8]]])
    }
}
