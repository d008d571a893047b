/// Names a connection of one loop across loops; stale once the connection is gone.
struct ConnectionKey: Sendable, Hashable {
    /// Counts the connections of the loop, so that no two have the same; 0 is none.
    var identity: UInt64
    var slot: Int32

    /// No connection.
    static let none = ConnectionKey(identity: 0, slot: -1)
}
