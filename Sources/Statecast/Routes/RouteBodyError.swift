public import StateCoding

/// The reason why a request's body could not be read by ``RouteRequest/decode(_:)``: its client's
/// fault, while an error of any other decoding is the server's.
///
/// A handler that passes it on answers by 400 or 422, with the place of the fault.
public struct RouteBodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault in the JSON, and its place.
    public let failure: DecodingFailure

    init(_ failure: DecodingFailure) {
        self.failure = failure
    }

    /// For operators.
    public var description: String { "\(failure.pointer): \(failure.detail)" }
}
