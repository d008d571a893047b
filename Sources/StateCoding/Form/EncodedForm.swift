package import Redux
import Reflection

/// A state's JSON, kept so that the next state costs what has changed: its text without its
/// collections, and each collection of 128 bytes and more in pieces, beside the value that it was
/// encoded from.
///
///     {"counter":7,"items":␀}        items: [{"id":1,…}, … 64 elements] [{"id":65,…}, …] …
///
/// A form is a value that never changes. The form of the next state shares with it what both have
/// in common, so that the form of a state that is refused may be dropped, and the one before
/// serves on. It holds the application's values, and belongs where these belong.
///
/// Where it keeps the secrets, they stand beside the text, in which they read `"<redacted>"`: as
/// their own JSON, which no description of a form shows, and which is kept as long as the form is.
@usableFromInline
package struct EncodedForm {
    let text: FormText
    /// The limit of nesting under which it was encoded.
    let maximumDepth: Int32
    /// It keeps what its secrets are.
    package let keepsSecrets: Bool
    /// A secret stands in it.
    package var holdsSecrets: Bool { text.holdsSecrets }
    /// The number of bytes of the JSON.
    package var byteCount: Int { text.byteCount }
    /// The memory that the form keeps, in bytes, its values estimated by their texts: about twice
    /// the JSON.
    package var heldByteCount: Int { text.heldByteCount }

    init(text: FormText, maximumDepth: Int, keepsSecrets: Bool) {
        self.text = text
        self.maximumDepth = Int32(clamping: maximumDepth)
        self.keepsSecrets = keepsSecrets
    }

    /// A form of nothing but a text: patches lead on from it, and the form of the next value has
    /// nothing in common with it.
    ///
    /// - Parameter json: compact, as a ``StateEncoder`` writes it.
    package init(json: [UInt8]) {
        self.init(
            text: FormText(bytes: json), maximumDepth: StateEncoder().maximumDepth,
            keepsSecrets: false)
    }

    /// The whole JSON, put together: what ``StateEncoder/encode(_:into:)`` writes.
    package func bytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(byteCount)
        append(to: &output)
        return output
    }

    /// Appends the whole JSON.
    package func append(to output: inout [UInt8]) { text.whole.append(to: &output) }

    /// The operations that put all secrets in their places: `replace`, once for each. Nil where
    /// there are none, or where they are not kept.
    package func secrets() -> Secret<JSONPatch>? {
        TextDifference.secrets(in: text)
    }

    /// The way to this state from a former one; none where there is none.
    ///
    /// The operations depend on the two states alone, and not on what both forms share.
    ///
    /// - Parameter common: what both forms have in common with others.
    package func change(
        from former: EncodedForm?, _ common: SharedCollections? = nil
    ) -> EncodedChange {
        guard let former else { return EncodedChange(form: self, patch: nil, secrets: nil) }
        guard former.keepsSecrets == keepsSecrets else {
            let patch = JSONPatch.difference(from: former.bytes().span, to: bytes().span)
            return EncodedChange(form: self, patch: patch, secrets: secrets())
        }
        let (patch, secrets) = TextDifference.change(from: former.text, to: text, common)
        return EncodedChange(form: self, patch: patch, secrets: secrets)
    }
}

/// A state's form, and the way to it.
@usableFromInline
package struct EncodedChange {
    package let form: EncodedForm
    /// The operations that lead to it from the form before; nil where nothing has changed, or where
    /// there was no form.
    package let patch: JSONPatch?
    /// The operations for secrets that follow those of the patch: `replace`, once for each secret
    /// that stands in a value which the patch writes, and for each other that has changed; all of
    /// them where the form before kept none. Nil where there are none, or where there was no form:
    /// then ``EncodedForm/secrets()`` has them.
    ///
    ///     [{"op":"replace","path":"/users/3/password","value":"open sesame"}]
    package let secrets: Secret<JSONPatch>?
}

/// The collections that values which are encoded one after the other have in common, as the classes of
/// viewers of one view have a chat: one value writes them, the others copy them.
///
/// Of the first value all are kept, later on those that two values have. The values have to be written
/// all in forms, or all as texts, and with one limit of nesting.
package final class SharedCollections {
    private static let limit = 64
    private static let seenLimit = 4096

    /// By the storage of their values, which they hold.
    private var nodes: [UInt: FormNode] = [:]
    /// The ways to these from what they were, of the forms that have led on from one.
    private var alignments: [UInt: Alignment] = [:]
    /// The storages of the collections that were written. One that was let go may be another's by now,
    /// which is then kept for nothing.
    private var seen: Set<UInt> = []
    /// The first value is being written.
    private var isFirst = true

    package init() {}

    /// A value was written.
    func endValue() { isFirst = false }

    /// What was written of the same collection, at its depth or deeper, where limits are stricter.
    func find(_ source: FormNode.Source) -> FormNode? {
        guard let node = nodes[source.storage], let known = node.source,
            known.type == source.type, known.nesting >= source.nesting,
            known.valueDepth >= source.valueDepth
        else { return nil }
        return node
    }

    /// A collection was written that was not found.
    func note(_ source: FormNode.Source, _ node: () -> FormNode) {
        guard isFirst || !seen.insert(source.storage).inserted else { return }
        if nodes.count >= Self.limit { (nodes, alignments) = ([:], [:]) }
        if seen.count >= Self.seenLimit { seen = [] }
        nodes[source.storage] = node()
    }

    /// The way from one collection to another, found once for all that have both.
    func alignment(_ old: FormNode, _ new: FormNode) -> Alignment {
        guard let storage = new.source?.storage, nodes[storage] === new else {
            return Alignment(old, new)
        }
        if let known = alignments[storage], known.old === old, known.new === new { return known }
        let made = Alignment(old, new)
        alignments[storage] = made
        return made
    }
}

extension StateEncoder {
    /// Appends a value as ``encode(_:into:)`` does, and copies what it has in common with others.
    package func encode(
        _ value: some Encodable, into output: inout [UInt8], _ common: SharedCollections?
    ) throws(EncodingFailure) {
        try DocumentEncoder.run(
            appendingTo: &output, maximumDepth: maximumDepth, common: common
        ) { try $0.encodeValue(value) }
    }

    /// Encodes a state and finds what has changed since the state of a former form.
    ///
    /// - Throws: what ``form(of:after:keepingSecrets:)`` throws; the former form serves on.
    @usableFromInline
    package func encode(
        _ value: some Encodable, after former: EncodedForm?,
        keepingSecrets keepsSecrets: Bool = false
    ) throws(EncodingFailure) -> EncodedChange {
        try form(of: value, after: former, keepingSecrets: keepsSecrets).change(from: former)
    }

    /// Encodes a state that follows that of a former form, in time that depends on what has changed:
    /// collections with the same storage are taken over, elements with the same bits are not encoded.
    ///
    /// A value's encoding has to depend on the value alone.
    ///
    /// - Parameters:
    ///   - former: nil for a state without one before it.
    ///   - keepsSecrets: the form keeps what its secrets are, for ``EncodedChange/secrets``.
    ///   - common: what the value has in common with others.
    /// - Throws: what `encode(_:into:)` throws, and where secrets are kept, a failure for one that
    ///   cannot be encoded; the former form serves on.
    package func form(
        of value: some Encodable, after former: EncodedForm?,
        keepingSecrets keepsSecrets: Bool = false, _ common: SharedCollections? = nil
    ) throws(EncodingFailure) -> EncodedForm {
        let isAlike =
            former?.maximumDepth == Int32(clamping: maximumDepth)
            && former?.keepsSecrets == keepsSecrets
        let expected = isAlike ? former?.text.holes ?? [] : []
        var output: [UInt8] = []
        // A member asks for more than it takes in the end.
        output.reserveCapacity((former?.text.bytes.count ?? 0) + 256)
        let holes = try DocumentEncoder.run(
            appendingTo: &output, maximumDepth: maximumDepth, keepsSecrets ? .kept : .hidden,
            after: expected[...], common: common
        ) { try $0.encodeValue(value) }
        return EncodedForm(
            text: FormText(bytes: output, holes: holes), maximumDepth: maximumDepth,
            keepsSecrets: keepsSecrets)
    }
}
