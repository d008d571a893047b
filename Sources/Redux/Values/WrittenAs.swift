/// A value whose JSON looks like that of another type, where its own decoding does not tell: it is
/// only `Encodable`, or it reads itself in a way that cannot be looked through.
///
///     struct Price: Encodable, WrittenAs {
///         typealias WireForm = String
///         let cents: Int
///         func encode(to encoder: any Encoder) throws { try "\(cents) ct".encode(to: encoder) }
///     }
///
/// The schema of an application, and the types for TypeScript, show the wire form in its place.
public protocol WrittenAs {
    /// Has the same JSON.
    associatedtype WireForm: Codable
}

extension WrittenAs {
    /// The type that has the same JSON.
    package static var wireForm: Any.Type { WireForm.self }
}
