import Bytes

/// Reads Flux Standard Actions from a parsed document.
@usableFromInline
struct EnvelopeReader {
    let core: DecodingCore

    /// Parses `bytes`, in the memory that is given.
    @usableFromInline
    init(
        _ bytes: Span<UInt8>, maximumDepth: Int, in memory: ActionMemory? = nil
    ) throws(ActionFailure) {
        do {
            let tape =
                if let memory {
                    try memory.parse(bytes, maximumDepth: maximumDepth)
                } else {
                    try JSONTape(parsing: [UInt8](copying: bytes), maximumDepth: maximumDepth)
                }
            core = DecodingCore(tape: tape, maximumDepth: maximumDepth)
        } catch {
            switch error.reason {
            case .tooDeep: throw .tooDeep(limit: maximumDepth)
            case .syntax, .shape: throw .syntax(offset: error.offset, detail: error.detail)
            }
        }
    }

    /// Gives the memory back to where it was taken from.
    @usableFromInline
    func recycle(to memory: ActionMemory) { memory.recycle(core.tape) }

    /// The entries of a batch's actions.
    func elements(maximumCount: Int) throws(ActionFailure) -> [Int] {
        let batch = core.tape.entries[0]
        guard batch.kind == .array else {
            throw .badEnvelope(pointer: JSONPointer(), detail: "A batch is an array of actions.")
        }
        guard Int(batch.count) <= maximumCount else { throw .tooManyActions(limit: maximumCount) }
        var result: [Int] = []
        var index = 1
        for _ in 0..<batch.count {
            result.append(index)
            index = Int(core.tape.entries[index].next)
        }
        return result
    }

    /// The action or fact at this entry.
    func envelope<Action: Decodable>(
        _ type: Action.Type, at index: Int
    ) throws -> ActionEnvelope<Action> {
        let action = try Action(from: decoder(at: index))
        guard isComplete else { throw UnknownActionType() }
        let tape = core.tape
        let meta = tape.member("meta", of: index, from: 0).map {
            Array(tape.bytes[tape.range(at: $0)])
        }
        let name = tape.member("type", of: index, from: 0).map(tape.string) ?? ""
        return ActionEnvelope(type: name, action: action, meta: meta)
    }

    /// What the action or fact at this entry is decoded from; see `isComplete`.
    @usableFromInline
    func decoder(at index: Int) throws(ActionFailure) -> any Decoder {
        let tape = core.tape
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
        begin(index, typeIndex)
        let payload = tape.member("payload", of: index, from: 0)
        let place = Place(index: Int32(payload ?? -1), depth: 0, segment: Int32(core.pathStart))
        return ValueDecoder(core: core, place: place)
    }

    /// Whether the whole type path was followed: what was decoded is an action.
    @usableFromInline var isComplete: Bool { core.isPathConsumed }

    /// Prepares the core for one type path.
    private func begin(_ envelope: Int, _ type: Int) {
        let entry = core.tape.entries[type]
        core.envelope = envelope
        core.isPathConsumed = false
        core.isRawSegment = false
        core.isUnknownSegment = false
        if entry.kind == .string {
            core.path = core.tape.bytes
            core.pathStart = Int(entry.start)
            core.pathEnd = Int(entry.end)
        } else {
            core.path = Array(core.tape.string(at: type).utf8)
            core.pathStart = 0
            core.pathEnd = core.path.count
        }
    }

    private func badEnvelope(
        at index: Int, member: String? = nil, _ detail: String
    ) -> ActionFailure {
        var pointer = core.tape.pointer(toEntryAt: index)
        if let member { pointer.tokens.append(member) }
        return .badEnvelope(pointer: pointer, detail: detail)
    }

    /// What went wrong with the envelope at this entry.
    func failure(_ error: any Error, at index: Int, known: [String]) -> ActionFailure {
        if let failure = error as? ActionFailure { return failure }
        if error is UnknownActionType || core.isUnknownSegment || core.isRawSegment {
            let type = core.path[core.pathStart..<min(core.pathEnd, core.pathStart + 256)]
            let name = String(decoding: type, as: UTF8.self)
            let pointer = core.tape.pointer(toEntryAt: index).appending("type")
            return .unknownType(
                name, nearest: EditDistance.nearest(to: name, in: known), pointer: pointer)
        }
        let failure = core.failure(error)
        var pointer = failure.pointer
        if pointer.tokens.isEmpty {
            pointer = core.tape.pointer(toEntryAt: index).appending("payload")
        }
        return .badPayload(pointer: pointer, detail: failure.detail)
    }
}
