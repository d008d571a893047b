/// Names a connection of one loop across loops; stale once the connection is gone.
struct ConnectionKey: Sendable, Hashable {
    var slot: Int32
    var identity: UInt32
}

/// The connections of one loop, in slots that are used again.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var free: [Int32] = []
    private var lastIdentity: UInt32 = 0

    /// How many connections there are.
    var count: Int {
        slots.count - free.count
    }

    /// How many slots there are: what a sweep goes through.
    var slotCount: Int {
        slots.count
    }

    /// The connection in a slot, if any.
    subscript(slot: Int) -> Connection? {
        slots[slot]
    }

    /// The connection of this name, unless it is gone.
    subscript(key: ConnectionKey) -> Connection? {
        guard Int(key.slot) < slots.count, let connection = slots[Int(key.slot)],
            connection.key == key
        else { return nil }
        return connection
    }

    /// Takes a connection in and names it.
    mutating func insert(_ connection: Connection) -> ConnectionKey {
        lastIdentity &+= 1
        if let slot = free.popLast() {
            slots[Int(slot)] = connection
            return ConnectionKey(slot: slot, identity: lastIdentity)
        }
        slots.append(connection)
        return ConnectionKey(slot: Int32(slots.count - 1), identity: lastIdentity)
    }

    /// Forgets a connection.
    mutating func remove(_ key: ConnectionKey) {
        slots[Int(key.slot)] = nil
        free.append(key.slot)
    }
}
