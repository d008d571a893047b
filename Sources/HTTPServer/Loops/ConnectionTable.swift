/// Names a connection of one loop across loops; stale once the connection is gone.
struct ConnectionKey: Sendable, Hashable {
    /// Counts the connections of the loop, so that no two have the same; 0 is none.
    var identity: UInt64
    var slot: Int32

    /// No connection.
    static let none = ConnectionKey(identity: 0, slot: -1)
}

/// The connections of one loop, in slots that are used again.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var free: [Int32] = []
    /// The identity of the newest connection that the loop has had.
    var lastIdentity: UInt64 = 0

    var count: Int {
        slots.count - free.count
    }

    /// The count of slots, taken and free: a sweep goes through all of them.
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
        lastIdentity += 1
        if let slot = free.popLast() {
            slots[Int(slot)] = connection
            return ConnectionKey(identity: lastIdentity, slot: slot)
        }
        slots.append(connection)
        return ConnectionKey(identity: lastIdentity, slot: Int32(slots.count - 1))
    }

    /// Forgets a connection.
    mutating func remove(_ key: ConnectionKey) {
        precondition(self[key] != nil, "A connection is removed once.")
        slots[Int(key.slot)] = nil
        free.append(key.slot)
    }
}
