/// Names a request that was forwarded from one loop to another.
struct ForwardKey: Sendable, Hashable {
    /// The loop that answers.
    var target: Int32
    /// The loop that holds the connection.
    var origin: Int32
    /// The connection there.
    var connection: ConnectionKey
    /// Which of its requests.
    var serial: UInt64
}
