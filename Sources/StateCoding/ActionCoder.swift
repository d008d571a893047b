/// Actions and facts to and from the wire: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
public struct ActionCoder<Action: Codable & Sendable, Fact: Codable & Sendable>: Sendable {
    /// The types that clients may send, sorted; only those whose enums' `CodingKeys` are
    /// `CaseIterable` are known here (all can be decoded).
    public let knownTypes: [String]
    /// The types of facts, sorted, as far as they are known.
    public let knownFactTypes: [String]

    /// Checks both types; throws what their author has to change.
    public init() throws(ActionCoderError) {
        knownTypes = []
        knownFactTypes = []
    }

    /// Whether the body is a batch: its first byte that is not white space is `[`.
    public static func isBatch(_ bytes: Span<UInt8>) -> Bool { false }

    /// The one action in `bytes`.
    public func decode(_ bytes: Span<UInt8>) throws(ActionFailure) -> ActionEnvelope<Action> {
        throw .syntax(offset: 0, detail: "")
    }

    /// The actions of a batch, `[{"type":…},…]`; pointers start with the index.
    public func decodeBatch(
        _ bytes: Span<UInt8>, maximumCount: Int = 1000
    ) throws(ActionFailure) -> [ActionEnvelope<Action>] {
        throw .syntax(offset: 0, detail: "")
    }

    /// The one fact in `bytes`: what a journal holds, never what a client posts.
    public func decodeFact(_ bytes: Span<UInt8>) throws(ActionFailure) -> ActionEnvelope<Fact> {
        throw .syntax(offset: 0, detail: "")
    }

    /// Appends `{"type":…,"payload":…}` to `output`, which is left as it was when this throws.
    public func encode(_ action: Action, into output: inout [UInt8]) throws(EncodingFailure) {
    }

    /// Appends a fact in the same form.
    public func encode(fact: Fact, into output: inout [UInt8]) throws(EncodingFailure) {
    }
}
