/// An unkeyed container over an ``DocumentEncoder``.
struct ElementWriter: UnkeyedEncodingContainer {
    let document: DocumentEncoder
    let frame: FrameID
    private(set) var count = 0

    init(document: DocumentEncoder, frame: FrameID) {
        self.document = document
        self.frame = frame
    }

    var codingPath: [any CodingKey] { document.codingPath }

    private mutating func begin() throws {
        if !document.frames.isTop(frame) { try document.resolve(frame) }
        document.writer.separateElement()
        count += 1
    }

    mutating func encodeNil() throws {
        try begin()
        document.writer.appendNull()
    }

    mutating func encode(_ value: String) throws {
        try begin()
        document.writer.append(value)
    }

    mutating func encode(_ value: Int) throws {
        try begin()
        document.writer.append(value)
    }

    mutating func encode(_ value: Int128) throws {
        try begin()
        document.writer.append(integer: value)
    }

    mutating func encode(_ value: UInt128) throws {
        try begin()
        document.writer.append(integer: value)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try begin()
        try document.encodeValue(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let (target, isOpen) = beginNested()
        let id = isOpen ? target.openBracket(.object) : .none
        return KeyedWriter.container(writingTo: id, of: target)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (target, isOpen) = beginNested()
        let id = isOpen ? target.openBracket(.array) : .none
        return ElementWriter(document: target, frame: id)
    }

    mutating func superEncoder() -> any Encoder {
        do {
            try begin()
        } catch {
            return document.detached()
        }
        return document.attach()
    }

    private mutating func beginNested() -> (target: DocumentEncoder, isOpen: Bool) {
        do {
            try begin()
        } catch {
            return (document, false)
        }
        return (document.defersNested ? document.attach() : document, true)
    }
}
