/// A single-value container over an ``EncodingCore``: where all scalars end up.
struct SingleValueWriter: SingleValueEncodingContainer {
    let core: EncodingCore

    var codingPath: [any CodingKey] { core.codingPath }

    private func begin() throws {
        if let failure = core.failure { throw failure }
        guard core.base != core.actionBase else {
            throw core.fail(.notAnAction, "An action must be an enum, not a bare value.")
        }
        guard core.written == core.valueStart else {
            throw core.fail(.refused, "A type encoded two values for one.")
        }
    }

    private func append(integer: some FixedWidthInteger) throws {
        try begin()
        core.writer.append(integer: integer)
    }

    func encodeNil() throws {
        try begin()
        core.writer.appendNull()
    }

    /// A string; an action's enum with string raw values names its case by it.
    func encode(_ value: String) throws {
        if core.base == core.actionBase, core.written == core.valueStart {
            core.writer.append(unquoted: value)
            core.writer.bytes.append(UInt8(ascii: "\""))
            return
        }
        try begin()
        core.writer.append(value)
    }

    func encode(_ value: Bool) throws {
        try begin()
        core.writer.append(value)
    }

    func encode(_ value: Double) throws {
        try begin()
        core.writer.append(value)
    }

    func encode(_ value: Float) throws {
        try begin()
        core.writer.append(value)
    }

    func encode(_ value: Int) throws {
        try begin()
        core.writer.append(value)
    }

    func encode(_ value: Int8) throws { try append(integer: value) }
    func encode(_ value: Int16) throws { try append(integer: value) }
    func encode(_ value: Int32) throws { try append(integer: value) }
    func encode(_ value: Int64) throws { try append(integer: value) }
    func encode(_ value: Int128) throws { try append(integer: value) }
    func encode(_ value: UInt) throws { try append(integer: value) }
    func encode(_ value: UInt8) throws { try append(integer: value) }
    func encode(_ value: UInt16) throws { try append(integer: value) }
    func encode(_ value: UInt32) throws { try append(integer: value) }
    func encode(_ value: UInt64) throws { try append(integer: value) }
    func encode(_ value: UInt128) throws { try append(integer: value) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if core.base == core.actionBase {
            return try core.encodeOwnForm(value)
        }
        try begin()
        try core.encodeValue(value)
    }
}
