/// The side of a client that makes sessions: a principal, or where access is open to all the
/// network of its address.
package enum SessionMaker: Sendable, Hashable {
    /// A client that access control knows by this name.
    case principal(String)
    /// The clients of a network.
    case network(String)
}
