import Bytes

/// Reads Flux Standard Actions from a parsed document.
@usableFromInline
struct EnvelopeReader {
    let document: DocumentDecoder

    /// Parses what a client has posted, in the memory that is given; where `isBatch`, only containers
    /// are the memory's.
    @usableFromInline
    init(
        posted bytes: Span<UInt8>, maximumDepth: Int, in memory: ActionMemory? = nil,
        isBatch: Bool = false
    ) throws(ActionFailure) {
        do {
            let tape =
                if let memory, !isBatch {
                    try memory.parse(bytes, maximumDepth: maximumDepth)
                } else {
                    try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
                }
            document = DocumentDecoder(
                tape: tape, maximumDepth: maximumDepth, isPosted: true, readers: memory?.readers)
        } catch {
            throw ActionFailure(error, maximumDepth: maximumDepth)
        }
    }

    /// Parses what a journal holds.
    init(logged bytes: Span<UInt8>, maximumDepth: Int) throws(ActionFailure) {
        do {
            let tape = try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
            document = DocumentDecoder(tape: tape, maximumDepth: maximumDepth)
        } catch {
            throw ActionFailure(error, maximumDepth: maximumDepth)
        }
    }

    /// Gives the memory back to where it was taken from.
    @usableFromInline
    func recycle(to memory: ActionMemory) {
        memory.note(typeNumber: document.typeNumber)
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

    /// The action at this entry.
    func envelope<Action: Decodable>(
        at index: Int, in tree: ActionTree
    ) throws -> ActionEnvelope<Action> {
        let action = try Action(from: decoder(at: index, in: tree))
        guard isComplete else { throw UnknownActionType() }
        let tape = document.tape
        let meta = tape.member("meta", of: index, from: 0).map {
            Array(tape.bytes[tape.range(at: $0)])
        }
        let name = tape.member("type", of: index, from: 0).map(tape.string) ?? ""
        return ActionEnvelope(type: name, action: action, meta: meta)
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
        if document.isPosted, document.leadsToFact(in: tree) { throw factNotAllowed(at: index) }
        let payload = tape.member("payload", of: index, from: 0)
        let place = Place(index: Int32(payload ?? -1), depth: 0, segment: Int32(document.pathStart))
        return ValueDecoder(document: document, place: place)
    }

    /// The whole type path was followed: what was decoded is an action.
    @usableFromInline var isComplete: Bool { document.isPathConsumed }

    /// Prepares the document for one type path.
    private func begin(_ envelope: Int, _ type: Int, _ tree: ActionTree) {
        let entry = document.tape.entries[type]
        document.envelope = envelope
        document.tree = tree
        document.isPathConsumed = false
        document.isJoined = false
        precondition(envelope < type, "A type stands within its envelope.")
        if entry.kind == .string {
            document.path = document.tape.bytes
            document.pathStart = Int(entry.start)
            document.pathEnd = Int(entry.end)
        } else {
            document.path = Array(document.tape.string(at: type).utf8)
            document.pathStart = 0
            document.pathEnd = document.path.count
        }
    }
}
