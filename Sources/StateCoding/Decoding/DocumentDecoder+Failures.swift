extension DocumentDecoder {
    /// The error that a type's `init(from:)` threw, as it is shown to clients.
    func failure(_ error: any Error) -> DecodingFailure {
        var pointer = JSONPointer()
        var detail = "The value was refused."
        if let error = error as? DecodingError {
            let context: DecodingError.Context
            switch error {
            case .typeMismatch(_, let found), .valueNotFound(_, let found),
                .dataCorrupted(let found):
                context = found
            case .keyNotFound(let key, let found):
                context = found
                if !key.stringValue.isUnlabelled { pointer.tokens = [key.stringValue] }
            @unknown default:
                return DecodingFailure(
                    reason: .shape, pointer: pointer, offset: 0, detail: detail)
            }
            let path = context.codingPath.map { $0.intValue?.description ?? $0.stringValue }
            pointer.tokens = path + pointer.tokens
            detail = context.debugDescription
        }
        let bytes = tape.bytes
        let offset = pointer.range(in: bytes.span)?.lowerBound ?? 0
        return DecodingFailure(reason: .shape, pointer: pointer, offset: offset, detail: detail)
    }

    /// The way to a place, as keys.
    func codingPath(at place: Place) -> [any CodingKey] {
        pointer(to: place).tokens.map(PathKey.init)
    }

    /// The way to a place; to the payload where that is absent.
    func pointer(to place: Place) -> JSONPointer {
        place.index < 0
            ? tape.pointer(toEntryAt: envelope).appending("payload")
            : tape.pointer(toEntryAt: Int(place.index))
    }

    /// The error for a value of another kind.
    func mismatch<Value>(_ type: Value.Type, _ expected: String, _ place: Place) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath(at: place),
                debugDescription: "\(expected) is expected here."))
    }

    /// The error for a payload that is absent.
    func missing(at place: Place) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath(at: place), debugDescription: "A value is missing here."))
    }

    /// The error for a member that is absent.
    func missing(_ key: some CodingKey, at place: Place) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(at: place),
                debugDescription: "The member \(key.stringValue) is missing."))
    }
}
