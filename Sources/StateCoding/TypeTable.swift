import Synchronization

/// The traits of the types met so far: an open hash table that is copied when it grows.
struct TypeTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier
        var traits: TypeTraits
    }

    private var slots: [Slot?] = Array(repeating: nil, count: 64)
    private var count = 0

    private static let shared = Mutex(TypeTable())

    /// The traits that are known in this process.
    static var known: TypeTable { shared.withLock { $0 } }

    /// The traits of the type with this identity, if it was met before.
    func traits(of id: ObjectIdentifier) -> TypeTraits? {
        var index = place(of: id)
        while let slot = slots[index] {
            if slot.type == id { return slot.traits }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The traits of a type that was not met before, which this table and later coders know from
    /// now on; takes over what others have met meanwhile.
    @inline(never)
    mutating func learn<Value>(_ type: Value.Type) -> TypeTraits {
        let id = ObjectIdentifier(type)
        self = Self.known
        if let traits = traits(of: id) { return traits }
        let traits = TypeTraits(of: type)
        self = Self.shared.withLock { table in
            if table.traits(of: id) == nil { table.insert(Slot(type: id, traits: traits)) }
            return table
        }
        return traits
    }

    private func place(of id: ObjectIdentifier) -> Int {
        let bits = UInt(bitPattern: id)
        return Int(truncatingIfNeeded: (bits >> 4) ^ (bits >> 11)) & (slots.count - 1)
    }

    private mutating func insert(_ slot: Slot) {
        if (count + 1) * 2 > slots.count {
            let old = slots
            slots = Array(repeating: nil, count: old.count * 2)
            count = 0
            for case let slot? in old { insert(slot) }
        }
        var index = place(of: slot.type)
        precondition(count < slots.count, "A table that looks for a place has one.")
        while slots[index] != nil { index = (index + 1) & (slots.count - 1) }
        slots[index] = slot
        count += 1
    }
}
