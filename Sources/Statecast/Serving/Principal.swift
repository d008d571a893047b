/// The sender of a request, as far as the server's access control knows it.
public struct Principal: Sendable, Hashable {
    /// The name, for logs: `alice`.
    public var name: String

    /// A principal of this name.
    public init(_ name: String) {
        self.name = name
    }
}
