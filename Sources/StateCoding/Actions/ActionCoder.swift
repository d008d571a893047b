/// Actions and facts to and from the wire: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
///
/// `type` is the path of enum cases, descending only through ``ActionGroup``s. `payload` holds the
/// associated values: labelled ones are an object, one unlabelled is the value itself, several are
/// an array, none leave the payload out (one that is sent all the same is ignored).
public struct ActionCoder<Action: Codable & Sendable, Fact: Codable & Sendable>: Sendable {
    /// The types that clients may send, sorted; only those whose enums' `CodingKeys` are
    /// `CaseIterable` are known here (all can be decoded).
    public let knownTypes: [String]
    /// The types of facts, sorted, as far as they are known.
    public let knownFactTypes: [String]
    /// The deepest nesting of an action's JSON.
    public let maximumDepth: Int

    /// Checks both types; throws what their author has to change.
    public init(maximumDepth: Int = 128) throws(ActionCoderError) {
        self.maximumDepth = maximumDepth
        knownTypes = try ActionTypes.explore(Action.self)
        knownFactTypes = try ActionTypes.explore(Fact.self)
        if let shared = Set(knownTypes).intersection(knownFactTypes).min() {
            throw .inActionAndFact(type: shared)
        }
    }

    /// The body is a batch: its first byte that is not white space is `[`.
    public static func isBatch(_ bytes: Span<UInt8>) -> Bool {
        var scanner = JSONScanner()
        return scanner.next(bytes) == UInt8(ascii: "[")
    }

    /// The one action in `bytes`.
    public func decode(_ bytes: Span<UInt8>) throws(ActionFailure) -> ActionEnvelope<Action> {
        try EnvelopeReader(bytes, maximumDepth: maximumDepth).action(at: 0, as: self)
    }

    /// The action in `bytes` without its envelope: compiled for `Action` where that is known.
    @inlinable
    public func decodeAction(
        _ bytes: Span<UInt8>, in memory: ActionMemory
    ) throws(ActionFailure) -> Action {
        let reader = try EnvelopeReader(bytes, maximumDepth: maximumDepth, in: memory)
        do {
            let action = try Action(from: reader.decoder(at: 0))
            if reader.isComplete {
                reader.recycle(to: memory)
                return action
            }
        } catch {
            throw reader.refusal(error, at: 0, as: self)
        }
        throw reader.refusal(nil, at: 0, as: self)
    }

    /// The actions of a batch, `[{"type":…},…]`; pointers start with the index.
    public func decodeBatch(
        _ bytes: Span<UInt8>, maximumCount: Int = 1000
    ) throws(ActionFailure) -> [ActionEnvelope<Action>] {
        let reader = try EnvelopeReader(bytes, maximumDepth: maximumDepth)
        var result: [ActionEnvelope<Action>] = []
        for index in try reader.elements(maximumCount: maximumCount) {
            result.append(try reader.action(at: index, as: self))
        }
        return result
    }

    /// The one fact in `bytes`: what a journal holds, never what a client posts.
    public func decodeFact(_ bytes: Span<UInt8>) throws(ActionFailure) -> ActionEnvelope<Fact> {
        let reader = try EnvelopeReader(bytes, maximumDepth: maximumDepth)
        do {
            return try reader.envelope(Fact.self, at: 0)
        } catch {
            throw reader.failure(error, at: 0, known: knownFactTypes)
        }
    }

    /// Appends `{"type":…,"payload":…}`, with `"meta":…` where there is one, to `output`, which is
    /// left as it was when this throws.
    public func encode(
        _ action: Action, meta: [UInt8]? = nil, into output: inout [UInt8]
    ) throws(EncodingFailure) {
        try append(action, to: &output)
        guard let meta else { return }
        output.removeLast()
        output.append(contentsOf: ",\"meta\":".utf8)
        output.append(contentsOf: meta)
        output.append(UInt8(ascii: "}"))
    }

    /// Appends a fact in the same form.
    public func encode(fact: Fact, into output: inout [UInt8]) throws(EncodingFailure) {
        try append(fact, to: &output)
    }

    private func append<Value: Encodable>(
        _ value: Value, to output: inout [UInt8]
    ) throws(EncodingFailure) {
        try EncodingRun.append(to: &output, maximumDepth: maximumDepth) { document in
            try document.encodeAction(value)
        }
    }
}
