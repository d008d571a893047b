/// The difference between two lists of works.
struct WorkChanges<Action: Sendable>: Sendable {
    /// The last slot that was given; new works get the ones after it.
    var lastSlot: UInt64
    /// The slots of works that are gone.
    var gone: [UInt64] = []
    /// The works that are new or have another value, in the order of the list.
    var wanted: [WorkOrder<Action>] = []
    /// Names that two works have, unless they had it before.
    var doubled: [String] = []

    init(after lastSlot: UInt64) {
        self.lastSlot = lastSlot
    }
}
