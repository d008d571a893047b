public import Redux

/// The work of the benchmarks: a counter beside small records; of twenty, one kilobyte of JSON.
///
/// `{"counter":7,"items":[{"id":0,"name":"item-0","done":true,"n":0}, …]}`
public struct BenchmarkApplication: Sendable {
    /// The sum of what was added, and records of which one is counted at a time: they make the
    /// snapshots as large as a small application's.
    public struct State: StateValue {
        public var counter = 0
        public var items: [Item]
    }

    /// One record of about 45 bytes.
    public struct Item: StateValue { public var id: Int, name: String, done: Bool, n: Int }

    /// The load generator sends `{"type":"incremented","payload":{"by":1}}`, or
    /// `{"type":"counted","payload":{"item":7}}`.
    public enum Action: ActionGroup { case incremented(by: Int), counted(item: Int) }

    public let initialState: State

    /// An application whose state has some records, 45 to 60 bytes of JSON each.
    public init(itemCount count: Int = 20) {
        let all = (0..<count).map { Item(id: $0, name: "item-\($0)", done: $0 % 2 == 0, n: $0 * 7) }
        initialState = State(items: all)
    }

    /// Adds to the counter, or one to a record: around the end of the integers where need be, and of a
    /// record that there is none of, nothing.
    @inlinable
    public func reduce(_ state: inout State, _ action: Action, _ step: Step) throws(Rejection) {
        switch action {
        case .incremented(let by): state.counter &+= by
        case .counted(let item):
            if state.items.indices.contains(item) { state.items[item].n &+= 1 }
        }
    }
}
