import Bytes

/// The members of an opened object in their order, each in a slot of its own for good, so that a
/// member is found, put in and taken out without moving the others.
struct PatchedMembers: Sendable {
    /// The inside of a name's string in the document's text.
    struct Name: Sendable {
        var range: Range<Int>
        var isEscaped: Bool

        /// The bytes that it stands for.
        func unescaped(_ text: Span<UInt8>) -> [UInt8] {
            let inside = text.extracting(range)
            return isEscaped ? JSONText.unescape(inside) : [UInt8](copying: inside)
        }
    }

    struct Member: Sendable {
        let name: Name
        var value: PatchedNode
        fileprivate var previous = -1
        fileprivate(set) var next = -1
    }

    /// What a member takes, with its place by the hash of its name, about.
    static let memberByteCount = 120

    private static let searchLimit = 16

    private var slots: [Member] = []
    private(set) var first = -1
    private var last = -1
    private(set) var count = 0
    /// Slots by the hash of the name; empty while there are few members.
    private var places: [Int: Int] = [:]
    /// Two members have one hash: they are told apart by their names, one after the other.
    private var isAmbiguous = false

    subscript(slot: Int) -> Member { slots[slot] }

    mutating func set(_ value: PatchedNode, at slot: Int) {
        slots[slot].value = value
    }

    /// Puts a member before the one of a slot, or at the end.
    ///
    /// - Returns: the member's slot.
    mutating func insert(
        _ name: Name, _ value: PatchedNode, before next: Int?, _ text: Span<UInt8>
    ) -> Int {
        let slot = slots.count
        slots.append(
            Member(
                name: name, value: value, previous: next.map { slots[$0].previous } ?? last,
                next: next ?? -1))
        link(slot)
        if !places.isEmpty { enter(slot, text) }
        return slot
    }

    /// Takes the member of a slot out; ``restore(_:_:)`` puts it back.
    mutating func remove(_ slot: Int, _ text: Span<UInt8>) {
        precondition(count > 0, "A member that is there is removed.")
        let (previous, next) = (slots[slot].previous, slots[slot].next)
        if previous < 0 { first = next } else { slots[previous].next = next }
        if next < 0 { last = previous } else { slots[next].previous = previous }
        count -= 1
        guard !places.isEmpty else { return }
        let hash = hash(of: slots[slot].name, text)
        if places[hash] == slot { places[hash] = nil }
    }

    /// Undoes the last insertion, and frees its slot.
    mutating func takeBack(_ slot: Int, _ text: Span<UInt8>) {
        precondition(slot == slots.count - 1, "Insertions are undone in reverse.")
        remove(slot, text)
        slots.removeLast()
    }

    /// Puts a member back to where it was; what was changed since its removal was undone before.
    mutating func restore(_ slot: Int, _ text: Span<UInt8>) {
        link(slot)
        if !places.isEmpty { enter(slot, text) }
    }

    private mutating func link(_ slot: Int) {
        let (previous, next) = (slots[slot].previous, slots[slot].next)
        if previous < 0 { first = slot } else { slots[previous].next = slot }
        if next < 0 { last = slot } else { slots[next].previous = slot }
        count += 1
    }

    /// The slot of a name; of two members of one name the first counts.
    mutating func slot(named name: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        guard count > Self.searchLimit else { return search(name, text) }
        if places.isEmpty { enterAll(text) }
        if isAmbiguous { return search(name, text) }
        guard let slot = places[Self.hash(name)], isName(slot, name, text) else { return nil }
        return slot
    }

    private func search(_ name: Span<UInt8>, _ text: Span<UInt8>) -> Int? {
        var slot = first
        while slot >= 0 {
            if isName(slot, name, text) { return slot }
            slot = slots[slot].next
        }
        return nil
    }

    private func isName(_ slot: Int, _ name: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
        let own = slots[slot].name
        guard own.isEscaped else { return text.extracting(own.range).elementsEqual(name) }
        return own.unescaped(text).span.elementsEqual(name)
    }

    private mutating func enterAll(_ text: Span<UInt8>) {
        places.reserveCapacity(count)
        var slot = first
        while slot >= 0 {
            enter(slot, text)
            slot = slots[slot].next
        }
    }

    private mutating func enter(_ slot: Int, _ text: Span<UInt8>) {
        let hash = hash(of: slots[slot].name, text)
        if places[hash] == nil { places[hash] = slot } else { isAmbiguous = true }
    }

    private func hash(of name: Name, _ text: Span<UInt8>) -> Int {
        name.isEscaped
            ? Self.hash(name.unescaped(text).span) : Self.hash(text.extracting(name.range))
    }

    /// Keyed by the process, so that names that collide cannot be chosen.
    private static func hash(_ name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        var word: UInt64 = 0
        for index in name.indices {
            word = word << 8 | UInt64(name[index])
            if index & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(name.count)
        return hasher.finalize()
    }
}
