/// A registered descriptor, or a link of the free list.
struct Slot {
    /// The end of the free list.
    static let none: UInt32 = .max
    /// Stands for the wake-up in epoll's user data: a slot that cannot be.
    static let wakeUserData: UInt64 = .max

    var handler: (any ReadinessHandler)?
    /// The registered number; in a free slot the next free one.
    var number: UInt32
    /// Counts the registrations of the slot, and begins again after the last number: events and
    /// handles of a registration are gone long before.
    var generation: UInt32
}
