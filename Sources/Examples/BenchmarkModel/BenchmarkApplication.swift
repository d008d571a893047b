package import Redux

/// The work of the benchmarks: a counter beside small records; of twenty, one kilobyte of JSON.
///
/// `{"counter":7,"items":[{"id":0,"name":"item-0","done":true,"n":0}, …]}`
package struct BenchmarkApplication {
    /// A counter, and records that make its snapshots as large as a small application's.
    package struct State: StateValue {
        /// The sum of what was added.
        package var counter = 0
        /// The records; one of them is counted at a time.
        package var items: [Item]

        init(itemCount: Int) { items = (0..<itemCount).map(Item.init(id:)) }
    }

    /// One record of about 45 bytes.
    package struct Item: StateValue {
        package var id: Int
        package var name: String
        package var done: Bool
        package var n: Int

        init(id: Int) {
            self.id = id
            name = "item-\(id)"
            done = id.isMultiple(of: 2)
            n = id * 7
        }
    }

    /// The load generator sends `{"type":"incremented","payload":{"by":1}}`, or
    /// `{"type":"counted","payload":{"item":7}}`.
    package enum Action: ActionGroup {
        case incremented(by: Int)
        case counted(item: Int)
    }

    package let initialState: State

    /// An application whose state has some records, 45 to 60 bytes of JSON each.
    package init(itemCount: Int = 20) { initialState = State(itemCount: itemCount) }

    /// Adds to the counter, or one to a record: around the end of the integers where need be, and of a
    /// record that there is none of, nothing.
    @inlinable
    package func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let by): state.counter &+= by
        case .counted(let item):
            if state.items.indices.contains(item) { state.items[item].n &+= 1 }
        }
    }
}
