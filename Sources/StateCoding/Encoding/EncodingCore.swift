/// The encoder that types meet: one object for a whole document, so that no level allocates one.
///
/// Containers write straight into the bytes. The stack of `frames` holds what is open; writing to
/// a container closes those opened inside it later. A container that is written to after it was
/// closed (two nested containers filled in turn) cannot be served that way: the document is
/// encoded once more with `defersNested`, where each nested container has its own bytes.
final class EncodingCore: Encoder {
    var writer: JSONWriter
    var types: TypeTable
    let maximumDepth: Int
    let defersNested: Bool

    var frames: [EncodingFrame] = []
    /// The innermost frame's serial and kind, beside the stack because every member asks for them.
    var topSerial = -1
    var topKind = EncodingFrame.Kind.array
    var nextSerial = 0
    /// How many brackets are open.
    var nesting = 0
    /// How many frames were open, and how much written, when the value now encoded was begun.
    var base = 0
    var valueStart: Int
    /// How many values are being encoded inside each other.
    var valueDepth = 0
    /// The `base` at which an enum's cases become an action's type path.
    var actionBase = -1

    /// The first thing that went wrong where the protocol has no way to throw.
    var failure: EncodingFailure?
    var isInterleaved = false
    /// Values that are written elsewhere and put in at their offsets at the end.
    var attachments: [(offset: Int, core: EncodingCore)] = []

    init(
        writer: JSONWriter, types: TypeTable, maximumDepth: Int, nesting: Int, defersNested: Bool
    ) {
        self.writer = writer
        self.types = types
        self.maximumDepth = maximumDepth
        self.nesting = nesting
        self.defersNested = defersNested
        valueStart = writer.count
    }

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedWriter<Key>(core: self, frame: openObject()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementWriter(core: self, frame: openArray())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueWriter(core: self)
    }

    /// A core for a value that will be put into this one's bytes at the present end.
    func attach() -> EncodingCore {
        let core = EncodingCore(
            writer: JSONWriter(), types: types, maximumDepth: maximumDepth, nesting: nesting,
            defersNested: defersNested)
        core.valueDepth = valueDepth
        attachments.append((writer.count, core))
        writer.bytes.append(UInt8(ascii: "0"))
        return core
    }

    /// Closes what is open and gives the bytes with all attachments in place.
    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        closeFrames(to: 0)
        if isInterleaved { throw InterleavedWriting() }
        if writer.count == valueStart { writer.append(literal: "{}") }
        guard !attachments.isEmpty else { return writer.bytes }
        var bytes: [UInt8] = []
        var copied = 0
        for (offset, core) in attachments {
            bytes += writer.bytes[copied..<offset]
            bytes += try core.finish()
            copied = offset + 1
        }
        bytes += writer.bytes[copied...]
        return bytes
    }

    /// Remembers and gives a failure at the present place.
    func fail(_ reason: EncodingFailure.Reason, _ detail: String) -> EncodingFailure {
        let failure =
            self.failure ?? EncodingFailure(reason: reason, pointer: pointer, detail: detail)
        self.failure = failure
        return failure
    }
}

/// Signals that a document must be encoded again with nested containers deferred.
struct InterleavedWriting: Error {}

/// A token of a path, as a key.
struct PathKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}
