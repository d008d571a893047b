import Redux

/// The store with work that its state wants: it goes on and never ends, while actions change
/// something else.
enum WorkMeasurement {
    struct Row: Sendable, Equatable, Identifiable {
        let id: String
        var text: String
    }

    struct State: Sendable, Equatable {
        var count = 0
        var rows: [Row]
    }

    enum Action: Sendable {
        case counted
        case saved(String, Answer<Done>)
    }

    /// Application code, as its authors write it.
    enum Kind {
        case none, single, twoPartNames, group

        func list(in state: State) -> [Work<Action>] {
            switch self {
            case .none: noWork(in: state)
            case .single: singleWork(in: state)
            case .twoPartNames: twoPartWork(in: state)
            case .group: groupedWork(in: state)
            }
        }

        @WorkBuilder<Action> private func noWork(in state: State) -> [Work<Action>] {
            if state.count < 0 { save(state.rows[0], as: "save") }
        }

        @WorkBuilder<Action> private func singleWork(in state: State) -> [Work<Action>] {
            for row in state.rows { save(row, as: row.id) }
        }

        @WorkBuilder<Action> private func twoPartWork(in state: State) -> [Work<Action>] {
            for row in state.rows { save(row, as: ["save", row.id]) }
        }

        @WorkBuilder<Action> private func groupedWork(in state: State) -> [Work<Action>] {
            Work.group("rows", of: state.rows) { rows in
                for row in rows { save(row, as: row.id) }
            }
        }

        private func save(_ row: Row, as name: some Hashable & Sendable) -> Work<Action> {
            Work(name, for: row.text) { _, context in
                try await context.sleep(for: .seconds(1_000_000))
            } then: {
                .saved(row.id, $0)
            }
        }
    }

    /// Dispatches actions that change the state, beside so many works of a kind.
    static func dispatch(_ kind: Kind, _ count: Int) -> Double {
        let rows = (0..<count).map { Row(id: "row-\($0)", text: "text \($0)") }
        let store = Store<State, Action>(
            initial: State(rows: rows),
            reducer: { (state, _, _) throws(Rejection) in state.count += 1 },
            environment: Environment(now: { Timestamp(milliseconds: 0) }),
            work: { kind.list(in: $0) }, deliver: { _ in })
        store.startWork()
        defer { store.cancelAllEffects() }
        return Measurement.best {
            for _ in 0..<Measurement.count { store.dispatch(.counted) }
        }
    }
}
