import Synchronization

/// The numbers that are counted up again and again, in front of a larger table.
///
/// A place of the table is kept in the slot that its number falls into, until another one takes the
/// slot. The slots are atomic because no access to these is checked at run time: one loop alone reads
/// and writes them.
struct RecentCounts: ~Copyable {
    /// The place, from 1, in the upper half, and its number in the lower one; 0: nothing.
    private let slots = InlineArray<64, Atomic<UInt64>> { _ in Atomic(0) }

    /// Counts a place up.
    ///
    /// - Parameter evict: takes the number of another place over.
    @inline(__always)
    func count(_ place: UInt32, evict: (_ place: UInt32, _ number: Int) -> Void) {
        let slot = Int(place & 63)
        let key = (UInt64(place) + 1) << 32
        let present = slots[slot].load(ordering: .relaxed)
        // The number comes apart from the place by being smaller than one step of it; a slot that is
        // full is emptied as another place's is.
        if present > key, present < key | 0xffff_ffff {
            slots[slot].store(present + 1, ordering: .relaxed)
        } else {
            if present != 0 { Self.take(present, evict) }
            slots[slot].store(key + 1, ordering: .relaxed)
        }
    }

    /// Empties all slots.
    func drain(_ take: (_ place: UInt32, _ number: Int) -> Void) {
        for slot in slots.indices {
            let present = slots[slot].exchange(0, ordering: .relaxed)
            if present != 0 { Self.take(present, take) }
        }
    }

    private static func take(_ present: UInt64, _ take: (UInt32, Int) -> Void) {
        take(UInt32(present >> 32) - 1, Int(present & 0xffff_ffff))
    }
}
