/// A named projection of the state that clients watch instead of it: computed, never stored.
///
///     View("screen") { state, arguments in
///         arguments["id"].flatMap { state.screen($0) }
///     }
///
/// `GET …/state?view=screen&id=episode:7`. Nil where the part does not exist: out of scope.
public struct View<State: Sendable>: Sendable {
    /// The name in the query.
    public let name: String
    let encode: @Sendable (State, [String: String], inout [UInt8]) throws(EncodingFailure) -> Bool

    /// A view that computes a value of the state and the other parameters of the query.
    public init<Value: Encodable & SendableMetatype>(
        _ name: String,
        _ project: @escaping @Sendable (State, _ arguments: [String: String]) -> Value?
    ) {
        self.name = name
        encode = { (state, arguments, output) throws(EncodingFailure) in
            guard let value = project(state, arguments) else { return false }
            try StateEncoder().encode(value, into: &output)
            return true
        }
    }
}
