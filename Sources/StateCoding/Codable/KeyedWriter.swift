import Reflection

/// A keyed container over an ``DocumentEncoder``; the members go straight into its bytes.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let document: DocumentEncoder
    let target: WriterTarget

    private var frame: Int { target.frame }

    /// The members of an object are written as they come.
    private var isPlain: Bool { document.frames.isTopObject(frame) }

    var codingPath: [any CodingKey] { document.codingPath }

    /// Writes the member's name, or what stands for it in a case's payload.
    @inline(__always)
    private func begin(_ key: Key) throws {
        if isPlain { return document.writer.name(key.stringValue) }
        try beginSlowly(key)
    }

    @inline(never)
    private func beginSlowly(_ key: Key) throws {
        try document.resolve(frame)
        try document.beginPayload(key.stringValue) { Key(stringValue: "_1") != nil }
    }

    func encodeNil(forKey key: Key) throws {
        try begin(key)
        document.writer.appendNull()
    }

    func encode(_ value: String, forKey key: Key) throws {
        if isPlain { return document.writer.member(key.stringValue, value) }
        try encodeAny(value, key)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        if isPlain { return document.writer.member(key.stringValue, value) }
        try encodeAny(value, key)
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        if isPlain { return document.writer.member(key.stringValue, value) }
        try encodeAny(value, key)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        if isPlain { return document.writer.member(key.stringValue, value) }
        try encodeAny(value, key)
    }

    // The protocol has a default for these, which throws.
    func encode(_ value: Int128, forKey key: Key) throws { try encodeAny(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encodeAny(value, key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encodeAny(value, key)
    }

    @inline(__always)
    private func encodeAny<Value: Encodable>(_ value: Value, _ key: Key) throws {
        let traits = document.traits(of: Value.self)
        if traits.isActionGroup, document.enterGroup(frame, key: key.stringValue) {
            let outer = document.actionBase
            defer { document.actionBase = outer }
            document.actionBase = document.frames.level
            return try document.encodeOwnForm(value)
        }
        let start =
            isPlain ? document.written : try document.start(of: key.stringValue, in: frame)
        try begin(key)
        try document.encodeValue(value, as: traits, from: start)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encode(value, forKey: key)
    }

    // The protocol has a default for these, which leaves out what is absent, and its place.
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodePresent(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws {
        try encodePresent(value, key)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encodePresent(value, key)
    }

    private func encodePresent<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        guard let value else { return try encodeAbsence(key) }
        try encodeAny(value, key)
    }

    /// A nil member is absent; a nil unlabelled value keeps its place as `null`.
    private func encodeAbsence(_ key: Key) throws {
        if isPlain { return }
        try document.resolve(frame)
        guard document.frames.top.kind != .object, key.stringValue.isUnlabelled else { return }
        try encodeNil(forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        if let frame = document.openActionCase(frame, segment: key.stringValue) {
            return KeyedWriter<Nested>.container(writingTo: frame, of: document)
        }
        let (target, nested) = document.openNested(.nested) { try begin(key) }
        return KeyedWriter<Nested>.container(writingTo: nested, of: target)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let (target, nested) = document.openNested(.array) { try begin(key) }
        return ElementWriter(document: target, frame: nested)
    }

    func superEncoder() -> any Encoder { superEncoder(named: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
        document.superEncoder {
            try document.resolve(frame)
            try document.beginPayload(name) { false }
        }
    }
}

extension KeyedWriter {
    /// A container that writes to a frame of a document.
    static func container(
        writingTo frame: Int, of document: DocumentEncoder
    ) -> KeyedEncodingContainer<Key> {
        if let writers = document.writers, let number = writers.find(ObjectIdentifier(Key.self)) {
            writers.target(number, as: WriterTarget.self).frame = frame
            return writers.encodingContainer(number, keyedBy: Key.self)
        }
        return make(frame, document)
    }

    /// By itself, as a variable of the container's type has that looked up even where it is not used.
    @inline(never)
    private static func make(
        _ frame: Int, _ document: DocumentEncoder
    ) -> KeyedEncodingContainer<Key> {
        let target = WriterTarget(frame)
        let container = KeyedEncodingContainer(KeyedWriter(document: document, target: target))
        if let writers = document.writers, writers.keepsNext(), writers.keep(container, target) {
            return container
        }
        target.hold = document.hold
        return container
    }
}

/// The frame that a container writes to at present.
final class WriterTarget {
    var frame: Int
    /// The document's, where the container is in no pool.
    var hold: DocumentEncoder.Hold?

    init(_ frame: Int) { self.frame = frame }
}
