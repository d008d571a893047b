extension EnvelopeReader {
    /// The action at this entry.
    func action<Action, Fact>(
        at index: Int, as coder: ActionCoder<Action, Fact>
    ) throws(ActionFailure) -> ActionEnvelope<Action> {
        do {
            return try envelope(Action.self, at: index)
        } catch {
            throw refusal(error, at: index, as: coder)
        }
    }

    /// Why there is no action at this entry, without an error because its type goes on behind a
    /// case; a type that only facts have is refused as such.
    @usableFromInline
    func refusal<Action, Fact>(
        _ error: (any Error)?, at index: Int, as coder: ActionCoder<Action, Fact>
    ) -> ActionFailure {
        let error = error ?? UnknownActionType()
        let failure = failure(error, at: index, known: coder.knownTypes)
        guard case .unknownType(let type, _, let pointer) = failure else { return failure }
        if coder.knownFactTypes.contains(type) || findsCase(of: Fact.self, at: index) {
            return .factNotAllowed(type, pointer: pointer)
        }
        return failure
    }

    /// Decodes the envelope as an action of this type, to find out if its type path leads to a
    /// case, whatever the payload.
    private func findsCase<Fact: Decodable>(of type: Fact.Type, at index: Int) -> Bool {
        do {
            _ = try envelope(type, at: index)
            return true
        } catch {
            return document.isPathConsumed && !document.isRawSegment
                && !(error is UnknownActionType)
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

    /// The failure that an error with the envelope at this entry means.
    func failure(_ error: any Error, at index: Int, known: [String]) -> ActionFailure {
        if let failure = error as? ActionFailure { return failure }
        if error is UnknownActionType || document.isUnknownSegment || document.isRawSegment {
            let type = document.path[
                document.pathStart..<min(document.pathEnd, document.pathStart + 256)]
            let name = String(decoding: type, as: UTF8.self)
            let pointer = document.tape.pointer(toEntryAt: index).appending("type")
            return .unknownType(
                name, nearest: EditDistance.nearest(to: name, in: known), pointer: pointer)
        }
        let failure = document.failure(error)
        var pointer = failure.pointer
        if pointer.tokens.isEmpty {
            pointer = document.tape.pointer(toEntryAt: index).appending("payload")
        }
        return .badPayload(pointer: pointer, detail: failure.detail)
    }
}
