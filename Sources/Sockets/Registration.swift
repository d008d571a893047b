/// A descriptor's place in one loop. Once removed it means nothing: a slot used again has another
/// generation, so that an event of the former registration is dropped.
package struct Registration: Sendable, Hashable, BitwiseCopyable {
    let slot: UInt32
    let generation: UInt32

    /// That of a descriptor which no loop watches: it means nothing to any.
    package static let none = Registration(slot: Slot.none, generation: 0)

    /// Epoll's user data.
    var userData: UInt64 {
        UInt64(generation) << 32 | UInt64(slot)
    }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// The registration that an event is of.
    init(userData: UInt64) {
        slot = UInt32(truncatingIfNeeded: userData)
        generation = UInt32(truncatingIfNeeded: userData >> 32)
    }
}
