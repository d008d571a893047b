extension DocumentEncoder {
    /// The traits of a type.
    func traits<Value>(of type: Value.Type) -> TypeTraits {
        if let traits = types.traits(of: ObjectIdentifier(type)) { return traits }
        var table = types
        let traits = table.learn(type)
        types = table
        return traits
    }

    /// Writes one value of any type.
    func encodeValue<Value: Encodable>(_ value: Value) throws {
        try encodeValue(value, as: traits(of: Value.self))
    }

    /// Writes one value whose type's traits are known.
    func encodeValue<Value: Encodable>(_ value: Value, as traits: TypeTraits) throws {
        switch traits.form {
        case .own: try encodeOwnForm(value)
        case .collection:
            if let type = traits.collection { return try type.encode(value, into: self) }
            try encodeOwnForm(value)
        case .string, .integer, .boolean, .double, .date, .url, .data, .decimal:
            writer.append(value, as: traits.form)
        }
    }

    /// Lets a value write itself.
    func encodeOwnForm<Value: Encodable>(_ value: Value) throws {
        if let failure { throw failure }
        guard valueDepth < maximumDepth * 2 + 8 else {
            throw fail(.tooDeep, "Values inside values, deeper than the limit allows.")
        }
        let outerBase = base
        let outerStart = valueStart
        base = frames.level
        valueStart = written
        valueDepth += 1
        try value.encode(to: self)
        closeFrames(to: base)
        if written == valueStart { try writeNothing() }
        valueDepth -= 1
        base = outerBase
        valueStart = outerStart
    }

    /// A type that encoded nothing is an object without members.
    private func writeNothing() throws {
        if let failure { throw failure }
        guard base != actionBase else {
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
        writer.append(literal: "{}")
    }

    /// Writes an object or an array whose inside `body` writes.
    @inline(__always)
    func encodeContainer(_ kind: EncodingFrame.Kind, _ body: () throws -> Void) throws {
        let outer = frames.level
        guard openBracket(kind).serial >= 0 else { throw fail(.tooDeep, "") }
        try body()
        closeFrames(to: outer)
    }

    /// The way to the value that is being written.
    var pointer: JSONPointer { frames.pointer(in: writer.bytes.span) }
}
