/// The side of a client that makes sessions: a principal, or where access is open to all the
/// network of its address.
package struct SessionMaker: Sendable, Hashable {
    private let principal: String?
    private let network: String?

    /// A client that access control knows by this name.
    package static func principal(_ name: String) -> SessionMaker {
        SessionMaker(principal: name, network: nil)
    }

    /// The clients of a network.
    package static func network(_ address: String) -> SessionMaker {
        SessionMaker(principal: nil, network: address)
    }
}
