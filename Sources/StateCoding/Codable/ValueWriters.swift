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

/// A single-value container over an ``DocumentEncoder``: where all scalars end up.
struct SingleValueWriter: SingleValueEncodingContainer {
    let document: DocumentEncoder

    var codingPath: [any CodingKey] { document.codingPath }

    /// Makes sure that a value may be written here.
    func beginValue() throws {
        if let failure = document.failure { throw failure }
        guard document.base != document.actionBase else {
            throw document.fail(.notAnAction, "An action must be an enum, not a bare value.")
        }
        guard document.written == document.valueStart else {
            throw document.fail(.refused, "A type encoded two values for one.")
        }
    }

    private func append(integer: some FixedWidthInteger) throws {
        try beginValue()
        document.writer.append(integer: integer)
    }

    func encodeNil() throws {
        try beginValue()
        document.writer.appendNull()
    }

    /// A string; an action's enum with string raw values names its case by it.
    func encode(_ value: String) throws {
        if document.base == document.actionBase, document.path.text.count == document.pathStart {
            return document.path.append(value)
        }
        try beginValue()
        document.writer.append(value)
    }

    func encode(_ value: Bool) throws {
        try beginValue()
        document.writer.append(value)
    }

    func encode(_ value: Double) throws {
        try beginValue()
        document.writer.append(value)
    }

    func encode(_ value: Float) throws {
        try beginValue()
        document.writer.append(value)
    }

    func encode(_ value: Int) throws {
        try beginValue()
        document.writer.append(value)
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
        if document.base == document.actionBase {
            return try document.encodeOwnForm(value)
        }
        try beginValue()
        try document.encodeValue(value)
    }
}
