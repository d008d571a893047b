import StatecastTesting

@testable import Redux

/// A search whose entries a journal keeps when the test says so.
final class LedgerBench {
    struct State: Sendable, Equatable {
        var text = ""
        var isLoading = false
        var results: [String] = []
        var rings: Timestamp?
    }

    enum Action: Sendable, Equatable {
        case edited(String)
        case refreshed
        case found(Answer<[String]>)
        case set(Timestamp?)
        case rang
        case refused
    }

    let searches = ManualAnswers<String, [String]>()
    let clock = ManualClock()
    let ledger: Ledger<State, Action>
    /// The journal keeps what it is handed at once.
    var keepsAtOnce = true
    private(set) var settled: [UInt64] = []
    private(set) var diagnostics: [StoreDiagnostic] = []
    private let deliveries: DeliveryList<Action>

    init() {
        let deliveries = DeliveryList<Action>()
        self.deliveries = deliveries
        let searches = searches
        ledger = Ledger(
            initial: State(), reducer: Self.reduce, environment: clock.environment(),
            work: WorkSource { Self.work(in: $0, searches) },
            deliver: { deliveries.append($0) })
        ledger.consequences.onSettled = { [unowned self] in settled.append($0) }
        ledger.consequences.onDiagnostic = { [unowned self] in diagnostics.append($0) }
    }

    private static func reduce(
        _ state: inout State, _ action: Action, _ step: Step
    ) throws(Rejection) {
        switch action {
        case .edited(let text): (state.text, state.isLoading) = (text, true)
        case .refreshed: state.isLoading = true
        case .found(let answer): (state.isLoading, state.results) = (false, answer.value ?? [])
        case .set(let time): state.rings = time
        case .rang: state.rings = nil
        case .refused: throw Rejection("refused", "No.")
        }
    }

    @WorkBuilder<Action>
    private static func work(
        in state: State, _ searches: ManualAnswers<String, [String]>
    ) -> [Work<Action>] {
        if state.isLoading {
            Work("search", for: state.text, { try await searches.answer(to: $0) }) { .found($0) }
        }
        if let time = state.rings { Work.alarm("bell", at: time, send: .rang) }
    }

    func submit(_ actions: Action...) {
        for action in actions { ledger.submit(action, keeping: keep) }
        clock.advance()
    }

    /// Hands over what work has reported.
    func receive() {
        clock.advance()
        while let delivery = deliveries.next() {
            ledger.accept(delivery)
            ledger.submitCausedActions(keeping: keep)
            clock.advance()
        }
    }

    /// The journal has kept everything that was decided.
    func commit() {
        ledger.commit(through: ledger.headVersion)
        ledger.submitCausedActions(keeping: keep)
        receive()
    }

    private func keep(_ entries: StagedEntries<State, Action>) -> Keeping {
        keepsAtOnce ? .kept : .later
    }
}
