import Redux
import Statecast

/// Chooses the steps of one sequence, one after the other, by what the state is then.
struct RandomWalk<App: Application> {
    private let maker: ActionMaker<App.Action>
    private let source: ValueSource
    private let principals: [Principal]
    /// The types that the sequence is made of. Many a state is reached only where an action that
    /// undoes the others is not among them.
    private let kinds: [ActionMaker<App.Action>.Kind]
    private var time: Timestamp
    private var number: UInt64

    /// - Parameters:
    ///   - kinds: the types that can be made; each sequence leaves some of them out.
    ///   - time: the time of the step before the first one.
    ///   - number: the number of that step.
    init(
        _ maker: ActionMaker<App.Action>, _ kinds: [ActionMaker<App.Action>.Kind],
        by principals: [Principal], from time: Timestamp, number: UInt64, seed: UInt64
    ) {
        precondition(
            !principals.isEmpty && !kinds.isEmpty, "A walk has senders and types of actions.")
        self.maker = maker
        self.principals = principals
        self.time = time
        self.number = number
        let source = ValueSource(seed: seed, principals)
        self.source = source
        let share = source.element(of: [1, 1, 2, 3])
        let some = kinds.filter { _ in share == 1 || source.pick(share) == 0 }
        self.kinds = some.isEmpty ? kinds : some
    }

    /// The texts and numbers that payloads are made of.
    var words: StateWords {
        get { source.words }
        nonmutating set { source.words = newValue }
    }

    /// The next step, and its type where that was chosen.
    ///
    /// - Parameters:
    ///   - works: what the state lists; some of it reports.
    ///   - untried: the types that the reducer has not accepted yet, which are tried more often.
    mutating func next(
        after works: [ListedWork<App.Action>], untried: [ActionMaker<App.Action>.Kind]
    ) -> (step: SequenceStep<App.Action>, type: String?)? {
        number += 1
        time = time + .milliseconds(pickPause())
        if !works.isEmpty, source.pick(4) == 0, let action = report(of: source.element(of: works)) {
            return (step(action, by: nil), nil)
        }
        let isTrial = !untried.isEmpty && source.pick(4) == 0
        let kind = source.element(of: isTrial ? untried : kinds)
        guard let action = try? maker.action(of: kind, from: source) else { return nil }
        let by = kind.isFact ? nil : source.element(of: principals)
        return (step(action, by: by), kind.type)
    }

    private func step(_ action: App.Action, by principal: Principal?) -> SequenceStep<App.Action> {
        SequenceStep(
            number: number, at: time, by: principal, action: action, seed: source.makeSeed())
    }

    private func pickPause() -> Int {
        switch source.pick(20) {
        case 0..<12: 0
        case 12..<17: source.pick(1_000)
        case 17..<19: source.pick(60_000)
        default: source.pick(25 * 3_600_000)
        }
    }

    /// The report of a work: of an alarm when it is due, unless that is years ahead.
    private mutating func report(of work: ListedWork<App.Action>) -> App.Action? {
        switch work.report {
        case .alarm(let due, let action):
            guard due < time + .seconds(100 * 86_400) else { return nil }
            time = max(time, due)
            return action
        case .answer(let make):
            source.begin()
            return try? source.attempt { try make(GeneratingDecoder(source)) }
        }
    }
}
