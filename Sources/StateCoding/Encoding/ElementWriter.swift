/// An unkeyed container over an ``EncodingCore``.
struct ElementWriter: UnkeyedEncodingContainer {
    let core: EncodingCore
    let frame: FrameID
    private(set) var count = 0

    init(core: EncodingCore, frame: FrameID) {
        self.core = core
        self.frame = frame
    }

    var codingPath: [any CodingKey] { core.codingPath }

    private mutating func begin() throws {
        if core.topSerial != frame.serial { try core.resolve(frame) }
        core.writer.separateElement()
        count += 1
    }

    mutating func encodeNil() throws {
        try begin()
        core.writer.appendNull()
    }

    mutating func encode(_ value: String) throws {
        try begin()
        core.writer.append(value)
    }

    mutating func encode(_ value: Int) throws {
        try begin()
        core.writer.append(value)
    }

    mutating func encode(_ value: Int128) throws {
        try begin()
        core.writer.append(integer: value)
    }

    mutating func encode(_ value: UInt128) throws {
        try begin()
        core.writer.append(integer: value)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try begin()
        try core.encodeValue(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let (target, isOpen) = beginNested()
        let id = isOpen ? target.openBracket(UInt8(ascii: "{"), .object) : .none
        return KeyedEncodingContainer(KeyedWriter<Nested>(core: target, frame: id))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (target, isOpen) = beginNested()
        let id = isOpen ? target.openBracket(UInt8(ascii: "["), .array) : .none
        return ElementWriter(core: target, frame: id)
    }

    mutating func superEncoder() -> any Encoder {
        do {
            try begin()
        } catch {
            return core.detached()
        }
        return core.attach()
    }

    private mutating func beginNested() -> (target: EncodingCore, isOpen: Bool) {
        do {
            try begin()
        } catch {
            return (core, false)
        }
        return (core.defersNested ? core.attach() : core, true)
    }
}
