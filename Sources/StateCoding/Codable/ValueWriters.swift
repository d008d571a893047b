/// An unkeyed container over an ``DocumentEncoder``.
struct ElementWriter: UnkeyedEncodingContainer {
    let document: DocumentEncoder
    let frame: Int
    private let hold: DocumentEncoder.Hold?
    private(set) var count = 0

    init(document: DocumentEncoder, frame: Int) {
        self.document = document
        self.frame = frame
        hold = document.hold
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

    // The protocol has a default for these, which throws.
    mutating func encode(_ value: Int128) throws { try encodeAny(value) }
    mutating func encode(_ value: UInt128) throws { try encodeAny(value) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try encodeAny(value) }

    private mutating func encodeAny<Value: Encodable>(_ value: Value) throws {
        if !document.frames.isTop(frame) { try document.resolve(frame) }
        let start = document.written
        try begin()
        try document.encodeValue(value, as: document.traits(of: Value.self), from: start)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let (target, nested) = document.openNested(.object) { try begin() }
        return KeyedWriter.container(writingTo: nested, of: target)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (target, nested) = document.openNested(.array) { try begin() }
        return ElementWriter(document: target, frame: nested)
    }

    mutating func superEncoder() -> any Encoder { document.superEncoder { try begin() } }
}

/// The encoder that a type meets, and its single-value container: small enough to need no box.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let document: DocumentEncoder
    private let hold: DocumentEncoder.Hold?

    init(_ document: DocumentEncoder) {
        self.document = document
        hold = document.hold
    }

    var codingPath: [any CodingKey] { document.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedWriter.container(writingTo: document.open(.object), of: document)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementWriter(document: document, frame: document.open(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

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

    // The protocol has a default for these, which throws.
    func encode(_ value: Int128) throws { try encodeAny(value) }
    func encode(_ value: UInt128) throws { try encodeAny(value) }

    func encode<Value: Encodable>(_ value: Value) throws { try encodeAny(value) }

    private func encodeAny<Value: Encodable>(_ value: Value) throws {
        let traits = document.traits(of: Value.self)
        if document.base == document.actionBase, !traits.form.isScalar {
            return try document.encodeOwnForm(value)
        }
        try beginValue()
        try document.encodeValue(value, as: traits)
    }
}

// MARK: Refusals

extension DocumentEncoder {
    /// Writes a member or an element, which begins at an offset; nil where what stands there stays. Where it is
    /// refused, the type around it may go on: what was written of it is taken back by what is written
    /// next, and tells the place until then.
    @inline(__always)
    func encodeValue<Value: Encodable>(
        _ value: Value, as traits: TypeTraits, from start: Int?
    ) throws {
        do { try encodeValue(value, as: traits) } catch {
            if let start { _ = frames.push(.refused, start: start) }
            throw error
        }
    }

    /// Throws where what is written is no JSON. Members that have one name are the
    /// type's own affair, here as elsewhere.
    func check() throws {
        // The bytes of collections that are kept by themselves are not there: it is encoded plainly.
        guard expected == nil else { throw interleaved() }
        let hole = FormText.placeholder
        let bytes = writer.bytes[valueStart...].map { $0 == hole ? Self.attachment : $0 }
        var parser = JSONParser(maximumDepth: maximumDepth, refusesRepeatedNames: false)
        if parser.parse(bytes.span) != nil {
            throw wentOn()
        }
    }

    func wentOn() -> EncodingFailure {
        fail(.refused, "A type went on behind a value that it could not encode.")
    }

    func tooDeep() -> EncodingFailure {
        fail(.tooDeep, "Nested deeper than \(maximumDepth) levels.")
    }

    /// What has gone wrong for good in a document inside of this one, or needs containers with bytes of their
    /// own there, does so here, also where that document is left out.
    func adopt(_ inner: DocumentEncoder) {
        inner.adoptAttachments()
        failure = failure ?? inner.failure
        isInterleaved = isInterleaved || inner.isInterleaved
    }

    func adoptAttachments() { for (_, document) in attachments { adopt(document) } }

    /// Writes an object without members.
    func writeEmpty() throws {
        guard nesting < maximumDepth else { throw tooDeep() }
        writer.append(literal: "{}")
    }

    /// The offset at which a member begins; nil where it is a payload's, whose brackets may change with it.
    @inline(never)
    func start(of name: String, in frame: Int) throws -> Int? {
        try resolve(frame)
        switch frames.top.kind {
        case .object: return written
        case .nested where !name.isUnlabelled: return written
        default: return nil
        }
    }

    /// Takes back what was written from an offset on, with what was opened there.
    func cut(from start: Int) {
        while frames.level > 0, frames.top.start >= start {
            if frames.top.kind.brackets != nil { nesting -= 1 }
            frames.pop()
        }
        if !holes.isEmpty {
            holes.removeLast(writer.bytes.placeholderCount(in: start..<written))
        }
        while let last = attachments.last, last.offset >= start {
            adopt(last.document)
            attachments.removeLast()
        }
        writer.bytes.removeLast(written - start)
    }
}
