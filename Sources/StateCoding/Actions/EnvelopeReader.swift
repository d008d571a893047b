import Bytes
import Reflection

/// Reads Flux Standard Actions from a parsed document.
@usableFromInline
struct EnvelopeReader {
    let document: DocumentDecoder

    /// Parses what a client has posted, or what a journal holds, in the memory that is given; where
    /// `isBatch`, only containers are the memory's.
    @usableFromInline
    init(
        _ bytes: Span<UInt8>, maximumDepth: Int, isPosted: Bool = true,
        in memory: ActionMemory? = nil, isBatch: Bool = false
    ) throws(ActionFailure) {
        do {
            let tape =
                if let memory, !isBatch {
                    try memory.parse(bytes, maximumDepth: maximumDepth)
                } else {
                    try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
                }
            document = DocumentDecoder(
                tape: tape, maximumDepth: maximumDepth, isPosted: isPosted,
                readers: memory?.readers)
        } catch {
            throw ActionFailure(error, maximumDepth: maximumDepth)
        }
    }

    /// Gives the memory back to where it was taken from.
    @usableFromInline
    func recycle(to memory: ActionMemory) {
        memory.typeNumber = document.typeNumber
        document.releaseReaders()
        memory.recycle(document.tape)
    }

    /// The entries of a batch's actions.
    func elements(maximumCount: Int) throws(ActionFailure) -> [Int] {
        let batch = document.tape.entries[0]
        guard batch.kind == .array else {
            throw .badEnvelope(pointer: JSONPointer(), detail: "A batch is an array of actions.")
        }
        guard Int(batch.count) <= maximumCount else { throw .tooManyActions(limit: maximumCount) }
        var result: [Int] = []
        var index = 1
        for _ in 0..<batch.count {
            result.append(index)
            index = Int(document.tape.entries[index].next)
        }
        return result
    }

    /// The decoder of the action at this entry, see `isComplete`; throws if it is a fact that a
    /// client has posted.
    @usableFromInline
    func decoder(at index: Int, in tree: ActionTree) throws(ActionFailure) -> any Decoder {
        let tape = document.tape
        guard tape.entries[index].kind == .object else {
            throw badEnvelope(
                at: index, "An action is an object with the members type and payload.")
        }
        guard let typeIndex = tape.member("type", of: index, from: 0) else {
            throw badEnvelope(at: index, member: "type", "The member type is missing.")
        }
        let kind = tape.entries[typeIndex].kind
        guard kind == .string || kind == .escapedString else {
            throw badEnvelope(at: typeIndex, "A type is a string.")
        }
        begin(index, typeIndex, tree)
        if document.isPosted, document.kind(in: tree) == .fact { throw factNotAllowed(at: index) }
        let payload = tape.member("payload", of: index, from: 0)
        let place = Place(index: Int32(payload ?? -1), depth: 0, segment: Int32(document.pathStart))
        return ValueDecoder(document: document, place: place)
    }

    /// The whole type path was followed: what was decoded is an action.
    @usableFromInline var isComplete: Bool { document.isPathConsumed }

    /// Prepares the document for one type path.
    private func begin(_ envelope: Int, _ type: Int, _ tree: ActionTree) {
        precondition(envelope < type, "A type stands within its envelope.")
        document.envelope = envelope
        document.tree = tree
        document.isPathConsumed = false
        document.isJoined = false
        let entry = document.tape.entries[type]
        if entry.kind == .string {
            document.path = document.tape.bytes
            (document.pathStart, document.pathEnd) = (Int(entry.start), Int(entry.end))
        } else {
            document.path = Array(document.tape.string(at: type).utf8)
            (document.pathStart, document.pathEnd) = (0, document.path.count)
        }
    }

    /// The action at this entry.
    func action<Action: Decodable>(
        at index: Int, in tree: ActionTree
    ) throws(ActionFailure) -> ActionEnvelope<Action> {
        do {
            let action = try Action(from: decoder(at: index, in: tree))
            guard isComplete else { throw UnknownActionType() }
            let tape = document.tape
            let meta = tape.member("meta", of: index, from: 0).map {
                Array(tape.bytes[tape.range(at: $0)])
            }
            let name = tape.member("type", of: index, from: 0).map(tape.string) ?? ""
            return ActionEnvelope(type: name, action: action, meta: meta)
        } catch {
            throw failure(error, at: index, in: tree)
        }
    }

    /// The refusal of an envelope of another form, at this entry or at a member of it.
    func badEnvelope(
        at index: Int, member: String? = nil, _ detail: String
    ) -> ActionFailure {
        var pointer = document.tape.pointer(toEntryAt: index)
        if let member { pointer.tokens.append(member) }
        return .badEnvelope(pointer: pointer, detail: detail)
    }

    /// The refusal of a fact that a client has posted in the envelope at this entry.
    func factNotAllowed(at index: Int, pointer: JSONPointer? = nil) -> ActionFailure {
        let pointer = pointer ?? document.tape.pointer(toEntryAt: index).appending("type")
        return .factNotAllowed(typeName, pointer: pointer)
    }

    /// The failure that an error with the envelope at this entry means; no error if its type goes
    /// on behind a case.
    @usableFromInline
    func failure(_ error: (any Error)?, at index: Int, in tree: ActionTree) -> ActionFailure {
        document.releaseReaders()
        if let failure = error as? ActionFailure { return failure }
        if let refused = error as? FactRefused {
            return factNotAllowed(at: index, pointer: refused.pointer)
        }
        guard let error, !(error is UnknownActionType), document.kind(in: tree) != nil else {
            let name = typeName
            let pointer = document.tape.pointer(toEntryAt: index).appending("type")
            return .unknownType(
                name, nearest: EditDistance.nearest(to: name, in: tree.actionTypes),
                pointer: pointer)
        }
        let failure = document.failure(error)
        var pointer = failure.pointer
        if pointer.tokens.isEmpty {
            pointer = document.tape.pointer(toEntryAt: index).appending("payload")
        }
        return .badPayload(pointer: pointer, detail: failure.detail)
    }

    /// The type path, or its beginning.
    private var typeName: String {
        String(
            decoding: document.path[document.pathStart..<document.pathEnd].prefix(256),
            as: UTF8.self)
    }
}

/// The memory that one action after the other is decoded in; one for each thread that decodes.
@usableFromInline
package final class ActionMemory {
    private var bytes: [UInt8] = []
    private var entries: [JSONTape.Entry] = []
    /// Containers for one action after the other.
    let readers = ContainerPool(forMany: true)
    /// The number of the type of the action that was decoded last, see `ActionCoder.typeNames`; −1 where
    /// that is not listed.
    package internal(set) var typeNumber = -1
    /// The numbers of the types of the batch that was decoded last, an action each.
    package internal(set) var batchTypeNumbers: [Int] = []

    /// No memory yet: the first action takes what it needs.
    package init() {}

    /// Parses `text` in this memory.
    func parse(_ text: Span<UInt8>, maximumDepth: Int) throws(DecodingFailure) -> JSONTape {
        var copy: [UInt8] = []
        var empty: [JSONTape.Entry] = []
        swap(&copy, &bytes)
        swap(&empty, &entries)
        copy.removeAll(keepingCapacity: true)
        empty.removeAll(keepingCapacity: true)
        copy.append(copying: text)
        return try JSONTape(parsing: copy, into: empty, maximumDepth: maximumDepth)
    }

    /// Takes a tape's memory back, unless it is large. Whoever still holds the tape keeps it.
    func recycle(_ tape: JSONTape) {
        guard tape.bytes.capacity <= 4096, tape.entries.capacity <= 1024 else { return }
        bytes = tape.bytes
        entries = tape.entries
    }
}
