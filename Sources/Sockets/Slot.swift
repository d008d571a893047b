/// A registered descriptor, or a link of the free list.
struct Slot {
    /// The end of the free list.
    static let none: UInt32 = .max
    /// Stands for the wake-up in epoll's user data: a slot that cannot be.
    static let wakeUserData: UInt64 = .max
    /// No descriptor has a number that needs this bit.
    private static let aheadBit: UInt32 = 1 << 31

    var handler: (any ReadinessHandler)?
    /// In a free slot the next free one; else the registered number, and whether it is received
    /// from ahead of its events: an idle connection has no byte more for that.
    private var bits: UInt32 = 0
    /// Counts the registrations of the slot, and begins again after the last number: events and
    /// handles of a registration are gone long before.
    var generation: UInt32 = 0

    /// The registered number. Setting it begins anew.
    var number: Int32 {
        get { Int32(bits & ~Self.aheadBit) }
        set { bits = UInt32(newValue) }
    }

    /// What can be received is received before the handler's event, together with others'.
    var isReceivedAhead: Bool {
        get { bits & Self.aheadBit != 0 }
        set { bits = newValue ? bits | Self.aheadBit : bits & ~Self.aheadBit }
    }

    /// The next free slot.
    var nextFree: UInt32 {
        get { bits }
        set { bits = newValue }
    }
}
