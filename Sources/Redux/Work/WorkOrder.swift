/// A piece of work that is to be carried out: its full name, its rules and its kind.
struct WorkOrder<Action: Sendable>: Sendable {
    /// The slot that it is for: the same as long as the name is listed.
    let slot: UInt64
    let name: String
    let policy: WorkPolicy
    let kind: WorkKind<Action>

    init(_ work: Work<Action>, _ kind: WorkKind<Action>, in prefix: String, slot: UInt64) {
        self.slot = slot
        self.kind = kind
        name = prefix + work.name.text
        policy = work.body.policy
    }

    /// `settle` waits for its end.
    var isOnce: Bool {
        if case .once = kind { true } else { false }
    }

    var operation: WorkOperation<Action>? {
        switch kind {
        case .once(let operation), .subscription(let operation): operation
        case .alarm, .group: nil
        }
    }

    /// The time that each try may take.
    var timeout: Duration? { policy.timeout ?? (isOnce ? .seconds(60) : nil) }
}
