import Bytes
import Reflection

/// Flux Standard Actions in a document.
extension DocumentDecoder {
    /// Parses what a client has posted, or what a journal holds, in the memory that is given; where
    /// `isBatch`, only containers are the memory's.
    @usableFromInline
    convenience init(
        actions bytes: Span<UInt8>, maximumDepth: Int, _ tree: ActionTree, isPosted: Bool = true,
        in memory: ActionMemory? = nil, isBatch: Bool = false
    ) throws(ActionFailure) {
        do {
            let tape =
                if let memory, !isBatch {
                    try memory.parse(bytes, maximumDepth: maximumDepth)
                } else {
                    try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
                }
            self.init(
                tape: tape, maximumDepth: maximumDepth, roominess: 1, isPosted: isPosted,
                readers: memory?.readers)
            self.tree = tree
        } catch {
            throw ActionFailure(error, maximumDepth: maximumDepth)
        }
    }

    /// The entries of a batch's actions.
    func batch(maximumCount: Int) throws(ActionFailure) -> [Int] {
        let batch = tape.entries[0]
        guard batch.kind == .array else {
            throw .badEnvelope(pointer: JSONPointer(), detail: "A batch is an array of actions.")
        }
        guard Int(batch.count) <= maximumCount else { throw .tooManyActions(limit: maximumCount) }
        return tape.children(of: 0)
    }

    /// The decoder of the action at this entry, see ``finish(in:)``; throws if it is a fact that a
    /// client has posted.
    @usableFromInline
    func actionDecoder(at index: Int) throws(ActionFailure) -> any Decoder {
        guard tape.entries[index].kind == .object else {
            throw badEnvelope(
                at: index, "An action is an object with the members type and payload.")
        }
        guard let type = tape.member("type", of: index, from: 0) else {
            throw badEnvelope(at: index, member: "type", "The member type is missing.")
        }
        guard tape.entries[type].kind.isString else {
            throw badEnvelope(at: type, "A type is a string.")
        }
        begin(index, type)
        if isPosted, isFact == true { throw factNotAllowed() }
        let payload = tape.member("payload", of: index, from: Int(tape.entries[type].next))
        let place = Place(index: Int32(payload ?? -1), depth: 0, segment: Int32(pathStart))
        return ValueDecoder(document: self, place: place)
    }

    /// Prepares the document for one type path.
    private func begin(_ envelope: Int, _ type: Int) {
        self.envelope = envelope
        isPathConsumed = false
        isJoined = false
        let entry = tape.entries[type]
        if entry.kind == .string {
            path = tape.bytes
            (pathStart, pathEnd) = (Int(entry.start), Int(entry.end))
        } else {
            path = Array(tape.string(at: type).utf8)
            (pathStart, pathEnd) = (0, path.count)
        }
        let path = path
        isFact = tree?.isFact(at: path.span.extracting(pathStart..<pathEnd))
    }

    /// An action was decoded; throws if its type goes on behind a case. Gives the memory back to where
    /// it was taken from.
    @usableFromInline
    func finish(in memory: ActionMemory?) throws(ActionFailure) {
        guard isPathConsumed else { throw unknownType() }
        guard let memory else { return }
        memory.lastNumber = segment.number ?? -1
        releaseReaders()
        memory.recycle(tape)
    }

    /// The action at this entry.
    func action<Action: Decodable>(at index: Int) throws(ActionFailure) -> ActionEnvelope<Action> {
        do {
            let action = try Action(from: actionDecoder(at: index))
            try finish(in: nil)
            let name = tape.member("type", of: index, from: 0).map(tape.string) ?? ""
            return ActionEnvelope(type: name, action: action)
        } catch {
            throw actionFailure(error)
        }
    }

    // MARK: Failures

    /// The refusal of an envelope of another form, at this entry or at a member of it.
    private func badEnvelope(
        at index: Int, member: String? = nil, _ detail: String
    ) -> ActionFailure {
        var pointer = tape.pointer(toEntryAt: index)
        if let member { pointer.tokens.append(member) }
        return .badEnvelope(pointer: pointer, detail: detail)
    }

    /// The refusal of a fact that a client has posted, or of a value in it that is one.
    func factNotAllowed(at place: JSONPointer? = nil) -> ActionFailure {
        .factNotAllowed(typeName, pointer: place ?? pointer(toMember: "type"))
    }

    /// The refusal of an action whose type path names none.
    @inline(never)
    func unknownType() -> ActionFailure {
        .unknownType(
            typeName, nearest: tree?.nearest(to: typeName) ?? [],
            pointer: pointer(toMember: "type"))
    }

    /// The failure that an error with the present envelope means.
    @usableFromInline
    func actionFailure(_ error: any Error) -> ActionFailure {
        releaseReaders()
        if let failure = error as? ActionFailure { return failure }
        guard isFact != nil else { return unknownType() }
        let failure = failure(error)
        let isWhole = failure.pointer.tokens.isEmpty
        return .badPayload(
            pointer: isWhole ? pointer(toMember: "payload") : failure.pointer,
            detail: failure.detail)
    }

    private func pointer(toMember name: String) -> JSONPointer {
        tape.pointer(toEntryAt: envelope).appending(name)
    }

    /// The type path, or its beginning.
    private var typeName: String {
        String(decoding: path[pathStart..<pathEnd].prefix(256), as: UTF8.self)
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
    package var typeNumber: Int { lastNumber }
    var lastNumber = -1
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
        copy.removeLast(copy.count)
        empty.removeLast(empty.count)
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
