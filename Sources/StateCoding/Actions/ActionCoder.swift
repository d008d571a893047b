import Bytes
public import Redux

/// Actions to and from the wire: `{"type":"home/searchEdited","payload":{"text":"bre"}}`.
///
/// `type` is the path of enum cases, descending only through `ActionGroup`s. `payload` holds the
/// associated values: labelled ones are an object, one unlabelled is the value itself, several are
/// an array, none leave the payload out (one that is sent all the same is ignored). Where a group
/// stands behind labelled values, they join the payload of what is inside of it:
///
///     .row(id: "7", .renamed(name: "Milk"))  {"type":"row/renamed","payload":{"id":"7","name":"Milk"}}
///     .row(id: "7", .saved(true))            {"type":"row/saved","payload":{"id":"7","saved":true}}
///
/// A *fact* is an action that only the server says: a case that carries a `FactGroup`, an `Answer`
/// or a `Problem`, at whatever depth. It is never decoded from what a client has posted.
public struct ActionCoder<Action: ActionGroup>: Sendable {
    /// The deepest nesting of an action's JSON.
    @usableFromInline package let maximumDepth: Int
    @usableFromInline let tree: ActionTree

    /// Checks the type; throws what its author has to change.
    public init(maximumDepth: Int = 128) throws(ActionCoderError) {
        self.maximumDepth = maximumDepth
        tree = try ActionTree(of: Action.self)
    }

    /// The types that clients may send, sorted: no facts, and none of a group inside itself, which
    /// has types without end (all can be decoded).
    package var knownTypes: [String] { tree.actionTypes }

    /// The types of actions and facts by their numbers.
    package var typeNames: [String] { tree.typeNames }

    /// The number of an action's type; nil where that is not listed. What the action carries is not
    /// encoded.
    package func typeNumber(of action: Action) -> Int? {
        TypePathEncoder.number(of: action, in: tree)
    }

    /// The type of an action, or that it has none which is listed.
    package func typeName(of action: Action) -> String {
        typeNumber(of: action).map { typeNames[$0] } ?? "unlisted"
    }

    /// The types of facts, sorted, in the same way.
    package var factTypes: [String] { tree.factTypes }

    /// The type paths of the cases that carry this group, sorted.
    package func paths(to group: any ActionGroup.Type) -> [String] {
        tree.paths(to: group).sorted()
    }

    /// The body is a batch: its first byte that is not white space is `[`.
    @usableFromInline
    package static func isBatch(_ bytes: Span<UInt8>) -> Bool {
        var scanner = JSONScanner()
        return scanner.next(bytes) == UInt8(ascii: "[")
    }

    /// The one action in `bytes`, which a client has posted.
    package func decode(_ bytes: Span<UInt8>) throws(ActionFailure) -> ActionEnvelope<Action> {
        try DocumentDecoder(actions: bytes, maximumDepth: maximumDepth, tree).action(at: 0)
    }

    /// The action in `bytes` without its envelope: compiled for `Action` where that is known.
    @inlinable
    package func decodeAction(
        _ bytes: Span<UInt8>, in memory: ActionMemory
    ) throws(ActionFailure) -> Action {
        let document = try DocumentDecoder(
            actions: bytes, maximumDepth: maximumDepth, tree, isPosted: true, in: memory,
            isBatch: false)
        do {
            let action = try Action(from: document.actionDecoder(at: 0))
            try document.finish(in: memory)
            return action
        } catch {
            throw document.actionFailure(error)
        }
    }

    /// The actions of a batch that a client has posted, `[{"type":…},…]`; pointers start with the
    /// index.
    ///
    /// - Parameter memory: remembers the numbers of their types.
    @usableFromInline
    package func decodeBatch(
        _ bytes: Span<UInt8>, maximumCount: Int = 1000, in memory: ActionMemory? = nil
    ) throws(ActionFailure) -> [ActionEnvelope<Action>] {
        let document = try DocumentDecoder(
            actions: bytes, maximumDepth: maximumDepth, tree, in: memory, isBatch: true)
        defer { document.releaseReaders() }
        var result: [ActionEnvelope<Action>] = []
        var numbers: [Int] = []
        for index in try document.batch(maximumCount: maximumCount) {
            result.append(try document.action(at: index))
            numbers.append(document.segment.number ?? -1)
        }
        memory?.batchTypeNumbers = numbers
        return result
    }

    /// The one action in `bytes`, a fact or not: what a journal holds, never what a client posts.
    package func decodeLogged(
        _ bytes: Span<UInt8>
    ) throws(ActionFailure) -> ActionEnvelope<Action> {
        try DocumentDecoder(actions: bytes, maximumDepth: maximumDepth, tree, isPosted: false)
            .action(at: 0)
    }

    /// The JSON text of `meta` of the actions in a posted body, by the first entry of each: it is logged,
    /// without the white space between its tokens, for an entry is one line, and means nothing to a
    /// reducer. A body that is neither action nor batch has none.
    ///
    /// - Parameters:
    ///   - outcomes: of a batch's actions; none for one action.
    ///   - first: the version of that one's first entry.
    @usableFromInline
    package static func metas(
        in body: Span<UInt8>, _ outcomes: [Outcome], from first: UInt64
    ) -> [UInt64: [UInt8]] {
        // Few bodies name it, or spell names by escapes. The others are not parsed once more: that is a
        // thirtieth of a durable POST.
        let mayHaveMeta = body.indices.contains { index in
            body[index] == UInt8(ascii: "\\")
                || body[index] == UInt8(ascii: "m") && index + 3 < body.count
                    && body[index + 1] == UInt8(ascii: "e") && body[index + 2] == UInt8(ascii: "t")
        }
        guard mayHaveMeta, let root = try? JSONValue(parsing: body) else { return [:] }
        let versions = outcomes.isEmpty ? [first] : outcomes.map(\.firstVersion)
        var metas: [UInt64: [UInt8]] = [:]
        for (action, version) in zip(root.elements ?? [root], versions) {
            guard let version, let meta = action["meta"] else { continue }
            metas[version] = JSONText.compact(meta.json.span)
        }
        return metas
    }

    /// Appends `{"type":…,"payload":…}`, with `"meta":…` where there is one, to `output`, which is
    /// left as it was when this throws.
    public func encode(
        _ action: Action, meta: [UInt8]? = nil, into output: inout [UInt8]
    ) throws(EncodingFailure) {
        try encode(action, .hidden, meta, into: &output)
    }

    /// An action as its sender writes it, with its secrets.
    package func openBytes(of action: Action) throws(EncodingFailure) -> [UInt8] {
        var output: [UInt8] = []
        try encode(action, .open, nil, into: &output)
        return output
    }

    private func encode(
        _ action: Action, _ secrets: SecretTreatment, _ meta: [UInt8]?,
        into output: inout [UInt8]
    ) throws(EncodingFailure) {
        var (path, payload): ([UInt8], [UInt8]) = ([], [])
        payload.reserveCapacity(192)
        try DocumentEncoder.run(appendingTo: &payload, maximumDepth: maximumDepth, secrets) {
            path = try $0.writeAction(action)
        }
        output.append(copying: #"{"type":""#)
        output += path
        output.append(UInt8(ascii: "\""))
        if !payload.isEmpty {
            output.append(copying: #","payload":"#)
            output += payload
        }
        if let meta {
            output.append(copying: #","meta":"#)
            output += meta
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension Outcome {
    fileprivate var firstVersion: UInt64? {
        if case .accepted(let first, _, _) = self { first } else { nil }
    }
}

/// One action as a client posted it (Flux Standard Action).
@usableFromInline
package struct ActionEnvelope<Action> {
    /// The path of enum cases, `home/searchEdited`.
    package var type: String
    /// The action.
    @usableFromInline package var action: Action
}

extension ActionEnvelope: Sendable where Action: Sendable {}
