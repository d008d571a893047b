import Bytes

/// The members of an opened object in their order, each in a slot of its own for good, so that a
/// member is found, put in and taken out without moving the others.
struct PatchedMembers: Sendable {
    struct Member: Sendable {
        /// The bytes that the name stands for.
        let name: [UInt8]
        /// The name in the document's text, with its quotes.
        let spelling: Range<Int>
        var value: PatchedNode
        fileprivate var previous = -1
        fileprivate(set) var next = -1
    }

    /// So many members are looked through for a name.
    private static let searchLimit = 16

    private var slots: [Member] = []
    private(set) var first = -1
    private var last = -1
    private(set) var count = 0
    /// Slots by their names; empty while there are few members.
    private var places: [[UInt8]: Int] = [:]
    /// Two members have one name, and are told apart by their order.
    private var repeatsName = false

    subscript(slot: Int) -> Member { slots[slot] }

    mutating func set(_ value: PatchedNode, at slot: Int) {
        slots[slot].value = value
    }

    /// Puts a member before the one of a slot, or at the end.
    ///
    /// - Returns: the member's slot.
    mutating func insert(
        _ name: [UInt8], spelled spelling: Range<Int>, _ value: PatchedNode, before next: Int?
    ) -> Int {
        slots.append(
            Member(
                name: name, spelling: spelling, value: value,
                previous: next.map { slots[$0].previous } ?? last, next: next ?? -1))
        restore(slots.count - 1)
        return slots.count - 1
    }

    /// Takes the member of a slot out; ``restore(_:)`` puts it back.
    mutating func remove(_ slot: Int) {
        precondition(count > 0, "A member that is there is removed.")
        let (previous, next) = (slots[slot].previous, slots[slot].next)
        if previous < 0 { first = next } else { slots[previous].next = next }
        if next < 0 { last = previous } else { slots[next].previous = previous }
        count -= 1
        if places[slots[slot].name] == slot { places[slots[slot].name] = nil }
    }

    /// Undoes the last insertion, and frees its slot.
    mutating func takeBack(_ slot: Int) {
        precondition(slot == slots.count - 1, "Insertions are undone in reverse.")
        remove(slot)
        slots.removeLast()
    }

    /// Puts a member back to where it was; what was changed since its removal was undone before.
    mutating func restore(_ slot: Int) {
        let (previous, next) = (slots[slot].previous, slots[slot].next)
        if previous < 0 { first = slot } else { slots[previous].next = slot }
        if next < 0 { last = slot } else { slots[next].previous = slot }
        count += 1
        if !places.isEmpty { enter(slot) }
    }

    /// The slot of a name; of two members of one name the first counts.
    mutating func slot(named name: Span<UInt8>) -> Int? {
        if places.isEmpty, count > Self.searchLimit { enterAll() }
        if !places.isEmpty, !repeatsName { return places[[UInt8](copying: name)] }
        var slot = first
        while slot >= 0 {
            let known = slots[slot].name
            if known.span.elementsEqual(name) { return slot }
            slot = slots[slot].next
        }
        return nil
    }

    private mutating func enterAll() {
        places.reserveCapacity(count)
        var slot = first
        while slot >= 0 {
            enter(slot)
            slot = slots[slot].next
        }
    }

    private mutating func enter(_ slot: Int) {
        let name = slots[slot].name
        if places[name] == nil { places[name] = slot } else { repeatsName = true }
    }
}
