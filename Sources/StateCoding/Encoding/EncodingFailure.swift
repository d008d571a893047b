/// Why a value could not be written as JSON.
public struct EncodingFailure: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// Objects and arrays nest deeper than the encoder's limit.
        case tooDeep
        /// An enum case has labelled and unlabelled values, which has no form on the wire.
        case mixedLabels
        /// An action is not a synthesized enum, so that it has no type path.
        case notAnAction
        /// The value's own `encode(to:)` threw, or used its encoder against the rules.
        case refused
    }

    /// The kind of failure.
    public var reason: Reason
    /// The place in the document that was being written.
    public var pointer: JSONPointer
    /// A sentence for the application's author.
    public var detail: String

    /// A failure at `pointer`.
    package init(reason: Reason, pointer: JSONPointer, detail: String) {
        self.reason = reason
        self.pointer = pointer
        self.detail = detail
    }
}
