extension EnvelopeReader {
    /// The action at this entry.
    func action<Action: Decodable>(
        at index: Int, in tree: ActionTree
    ) throws(ActionFailure) -> ActionEnvelope<Action> {
        do {
            return try envelope(at: index, in: tree)
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
        guard let error, !(error is UnknownActionType), document.leadsToAction(in: tree) else {
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
        let end = min(document.pathEnd, document.pathStart + 256)
        return String(decoding: document.path[document.pathStart..<end], as: UTF8.self)
    }
}
