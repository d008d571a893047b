package import Redux

/// The work of the benchmarks: a counter beside twenty small records, one kilobyte of JSON.
///
/// `{"counter":7,"items":[{"id":0,"name":"item-0","done":true,"n":0}, …]}`
package struct BenchmarkApplication {
    /// A counter, and records that make its snapshots as large as a small application's.
    package struct State: StateValue {
        /// Every action changes it.
        package var counter = 0
        /// No action changes them.
        package var items = (0..<20).map(Item.init(id:))
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

    /// The load generator sends `{"type":"incremented","payload":{"by":1}}`.
    package enum Action: ActionGroup { case incremented(by: Int) }

    package let initialState = State()

    package init() {}

    /// Adds to the counter, around the end of the integers where need be.
    @inlinable
    package func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let by): state.counter &+= by
        }
    }
}
