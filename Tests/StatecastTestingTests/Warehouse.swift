import Statecast
import Testing

/// A warehouse with a flaw that a test chooses: shelves with items, stocktaking, opening hours.
struct Warehouse: Application {
    enum Flaw: Equatable, Sendable {
        case none
        /// More may be taken out of an item than is in it.
        case negativeCount
        /// An item is divided among none.
        case division
        /// A count depends on something else than the step.
        case impureReducer
        /// An item is named after those who watch, as they lie in the state.
        case unsortedWatchers
        /// Two items with one name have one work.
        case doubledWork
        /// A note is not written.
        case lostNote
        /// A view refuses a large count.
        case failingView
        /// An issue is recorded for a large item.
        case issueOfReducer
        /// An issue is recorded for an answer.
        case issueOfAnswer
    }

    enum Size: String, StateValue { case small, large }

    struct Item: StateValue, Identifiable {
        let id: String
        var name: String
        var count = 0
        var size: Size?
    }

    struct State: StateValue {
        var items: [Item] = []
        var audit = Loadable<Int>.idle
        var closes: Timestamp?
        var watching: Set<String> = []
        var note = ""

        enum CodingKeys: CodingKey { case items, audit, closes, watching }
    }

    enum Action: ActionGroup {
        case shelf(ShelfAction)
        case audit(AuditAction)
        case hours(HoursFact)
        case session(SessionFact)
    }

    enum ShelfAction: ActionGroup {
        case added(name: String)
        case item(id: String, ItemAction)
        case noted(String)
    }

    enum ItemAction: ActionGroup {
        case filled(by: Int)
        case divided(among: Int)
        case sized(Size?)
        case removed
    }

    enum AuditAction: ActionGroup {
        case asked
        case answered(Answer<Int>)
    }

    enum HoursFact: FactGroup { case ended(at: Timestamp) }

    let flaw: Flaw
    let initialState: State

    init(_ flaw: Flaw = .none) {
        self.flaw = flaw
        // So many lie in one order as good as never.
        let names = flaw == .unsortedWatchers ? "abcdefghijkl" : ""
        initialState = State(watching: Set(names.map { String($0) }))
    }

    var views: Views<State> {
        Views(
            state: .all,
            View("counts") { state in
                state.items.map { Shown(count: $0.count, isRefusing: flaw == .failingView) }
            })
    }

    private struct Shown: Encodable {
        struct Refusal: Error {}

        let count: Int
        let isRefusing: Bool

        func encode(to encoder: any Encoder) throws {
            if isRefusing, count > 99 { throw Refusal() }
            var container = encoder.singleValueContainer()
            try container.encode(count)
        }
    }

    func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .shelf(.added(let name)):
            guard !name.isEmpty else { throw Rejection("empty", "Add what?", field: "name") }
            guard state.items.count < 10 else { throw Rejection("full", "There are ten.") }
            let isUnsorted = flaw == .unsortedWatchers
            state.items.append(
                Item(id: step.makeID(), name: isUnsorted ? state.watching.joined() : name))
            state.closes = step.at + .seconds(3600)
        case .shelf(.item(let id, let action)):
            let index = try state.items.index(id: id)
            if action == .removed {
                state.items.remove(at: index)
            } else {
                try reduce(&state.items[index], action)
            }
        case .shelf(.noted(let note)): if flaw == .lostNote { state.note = note }
        case .audit(.asked): state.audit.load()
        case .audit(.answered(let answer)): state.audit.finish(answer)
        case .hours(.ended(let time)): if state.closes == time { state.closes = nil }
        case .session(.watchersChanged(let came, let left)):
            state.watching.formUnion(came.compactMap(\.id))
            state.watching.subtract(left.compactMap(\.id))
        case .session(.restored): state.watching = []
        }
    }

    private func reduce(_ item: inout Item, _ action: ItemAction) throws(Rejection) {
        switch action {
        case .filled(let by):
            let count = item.count.addingReportingOverflow(by)
            guard !count.overflow, count.partialValue >= 0 || flaw == .negativeCount else {
                throw Rejection("too-many", "There are not so many.", field: "by")
            }
            item.count = count.partialValue
        case .divided(let among):
            guard among != 0 || flaw == .division, among != -1 else {
                throw Rejection("none", "Among whom?", field: "among")
            }
            item.count /= among
            if flaw != .negativeCount { item.count = max(0, item.count) }
        case .sized(let size):
            item.size = size
            if flaw == .issueOfReducer, size == .large { Issue.record("The shelf breaks.") }
            // Of so many numbers that two equal ones, which hide the flaw, do not come up.
            if flaw == .impureReducer, size == .large { item.count = .random(in: 0..<1 << 48) }
        case .removed: break
        }
    }

    func work(in state: State) -> [Work<Action>] {
        if state.audit.isLoading {
            Work("audit") {
                0
            } then: { answer in
                if flaw == .issueOfAnswer { Issue.record("The answer is odd.") }
                return .audit(.answered(answer))
            }
        }
        if let closes = state.closes {
            Work.alarm("hours", at: closes, send: .hours(.ended(at: closes)))
        }
        Work.group("large", of: state.items.filter { $0.size == .large }) { items in
            for item in items {
                Work(flaw == .doubledWork ? item.name : item.id, for: item.count) { _ in
                    0
                } then: {
                    .audit(.answered($0))
                }
            }
        }
    }
}
