public import Statecast

/// The work of the benchmarks: a counter beside twenty small records, one kilobyte of JSON.
///
/// `{"counter":7,"items":[{"id":0,"name":"item-0","done":true,"n":0}, …]}`
public struct BenchmarkApplication: Application {
    /// A counter, and records that make its snapshots as large as a small application's.
    public struct State: Codable, Equatable, Sendable {
        /// Moved by every action.
        public var counter = 0
        /// Twenty, never changed.
        public var items = (0..<20).map(Item.init(id:))
    }

    /// One record of about 45 bytes.
    public struct Item: Codable, Equatable, Sendable {
        /// Counted from 0.
        public var id: Int
        /// `item-<id>`.
        public var name: String
        /// True for every other record.
        public var done: Bool
        /// Seven times the id.
        public var n: Int

        init(id: Int) {
            self.id = id
            name = "item-\(id)"
            done = id.isMultiple(of: 2)
            n = id * 7
        }
    }

    /// What the load generator sends: `{"type":"incremented","payload":{"by":1}}`.
    public enum Action: ActionGroup, Codable, Sendable {
        case incremented(by: Int)

        enum CodingKeys: CodingKey, CaseIterable { case incremented }
    }

    /// A counter at zero.
    public let initialState = State()

    /// An application with no settings.
    public init() {}

    /// Adds to the counter, around the end of the integers where need be.
    public func reduce(_ state: inout State, action: Action) throws(Rejection) {
        switch action {
        case .incremented(let by): state.counter &+= by
        }
    }
}
