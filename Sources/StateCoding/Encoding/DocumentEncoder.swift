import Bytes

/// The encoder that types meet: one object for a whole document, so that no level allocates one.
///
/// Containers write straight into the bytes. The stack of `frames` holds what is open; writing to
/// a container closes those opened inside it later. A container that is written to after it was
/// closed (two nested containers filled in turn) cannot be served that way: the document is
/// encoded once more with `defersNested`, where each nested container has its own bytes.
final class DocumentEncoder: Encoder {
    /// The bytes that are written, the open frames, the arrays of the encoding before, and what is put
    /// in later. They are taken out of the object while they are changed, which spares the run time its
    /// check that no second access overlaps.
    private var writerStorage: JSONWriter?
    private var frameStorage = FrameStack()
    private(set) var arrays: EncodedArrays?
    private var attachments = Attachments()
    var types: TypeTable
    let maximumDepth: Int
    let defersNested: Bool

    /// The number of open brackets.
    var nesting = 0
    /// The open frames, and the bytes written, when the value now encoded was begun.
    var base = 0
    var valueStart: Int
    /// The number of values that are being encoded inside each other.
    var valueDepth = 0
    /// The `base` at which an enum's cases become an action's type path.
    var actionBase = -1
    /// The action's type path once its payload is begun.
    var path = JoinedPath()

    /// Keeps collections by themselves, where the document is encoded for its form.
    let forms: FormRecorder?
    /// Containers, which hold the document: whoever gives them closes the pool in the end.
    let writers: WriterPool?

    /// The secrets that were met, where they are wanted.
    var secrets = EncodedSecrets()

    /// The first thing that went wrong where the protocol has no way to throw.
    var failure: EncodingFailure?
    var isInterleaved = false

    init(
        writer: JSONWriter, types: TypeTable = .known, maximumDepth: Int, nesting: Int = 0,
        defersNested: Bool = false, arrays: EncodedArrays? = nil, forms: FormRecorder? = nil,
        writers: WriterPool? = nil
    ) {
        writerStorage = writer
        self.types = types
        self.maximumDepth = maximumDepth
        self.nesting = nesting
        self.defersNested = defersNested
        self.arrays = arrays
        self.forms = forms
        self.writers = writers
        valueStart = writer.count
    }

    var writer: JSONWriter {
        @inline(__always) get { writerStorage ?? JSONWriter() }
        @inline(__always) _modify {
            var taken = writerStorage ?? JSONWriter()
            writerStorage = nil
            defer { writerStorage = taken }
            yield &taken
        }
    }

    var frames: FrameStack {
        @inline(__always) get { frameStorage }
        @inline(__always) _modify {
            var taken = FrameStack()
            swap(&taken, &frameStorage)
            defer { frameStorage = taken }
            yield &taken
        }
    }

    /// Changes the arrays of the encoding before; answers with nil where those are not known.
    func changeArrays<Result>(_ body: (inout EncodedArrays) -> Result) -> Result? {
        guard var taken = arrays.take() else { return nil }
        let result = body(&taken)
        arrays = consume taken
        return result
    }

    private func changeAttachments(_ body: (inout Attachments) -> Void) {
        var taken = attachments
        attachments = Attachments()
        body(&taken)
        attachments = taken
    }

    /// The number of bytes written, with what was there before.
    var written: Int { writerStorage?.bytes.count ?? 0 }

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedWriter.container(writingTo: openObject(), of: self)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementWriter(document: self, frame: openArray())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueWriter(document: self)
    }

    /// An encoder for a value that will be put into this one's bytes at the present end.
    ///
    /// What is put in later can be in no collection that is kept by itself: then the document is
    /// encoded plainly.
    func attach() -> DocumentEncoder {
        guard forms == nil else {
            isInterleaved = true
            return detached()
        }
        let document = makeInner()
        changeAttachments { $0.append(document, at: written) }
        writer.bytes.append(Insertions.placeholder)
        return document
    }

    /// An encoder for a value inside the present one, with bytes of its own.
    func makeInner() -> DocumentEncoder {
        let document = DocumentEncoder(
            writer: JSONWriter(), types: types, maximumDepth: maximumDepth, nesting: nesting,
            defersNested: defersNested)
        document.valueDepth = valueDepth
        document.secrets = EncodedSecrets(secrets.treatment)
        return document
    }

    /// An encoder whose bytes go nowhere, to be given where all has failed.
    func detached() -> DocumentEncoder {
        let document = makeInner()
        document.failure = failure
        document.isInterleaved = isInterleaved
        return document
    }

    /// Puts bytes in before what is already written, which moves what stands behind them.
    func insert(_ bytes: [UInt8], at offset: Int) {
        precondition(offset <= written, "What is inserted stands within what is written.")
        writer.bytes.insert(contentsOf: bytes, at: offset)
        frames.shift(from: offset, by: bytes.count)
        changeAttachments { $0.shift(from: offset, by: bytes.count) }
    }

    /// Takes the bytes from an offset on out of the document.
    func takeBytes(from start: Int) -> [UInt8] {
        let taken = [UInt8](copying: writer.bytes.span.extracting(start...))
        writer.bytes.removeLast(taken.count)
        return taken
    }

    /// All bytes stand where they were written first, and every value that was begun has ended: no
    /// type has thrown an error that the one around it passed over.
    var isWrittenStraight: Bool { !defersNested && attachments.isEmpty && valueDepth == 0 }

    /// Closes what is open and gives the bytes with all attachments in place.
    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        closeFrames(to: 0)
        if isInterleaved { throw InterleavedWriting() }
        if written == valueStart { writer.append(literal: "{}") }
        if !attachments.isEmpty {
            writer.bytes = try attachments.applied(to: writer.bytes, &secrets.holes)
        }
        return detachBytes()
    }

    /// Gives all bytes away. A container that is still written to fails: the value was written.
    func detachBytes() -> [UInt8] {
        valueStart = -1
        return writerStorage.take()?.finish() ?? []
    }

    /// The document has ended well, and nothing was written to it since then.
    var isAsNew: Bool {
        failure == nil && !isInterleaved && frames.level == 0 && isWrittenStraight
    }

    /// Begins one more document, which appends to what a writer has.
    func begin(_ writer: JSONWriter) {
        precondition(isAsNew, "A document begins where the one before has ended well.")
        writerStorage = writer
        valueStart = writer.count
        frames.begin()
        changeArrays { $0.begin() }
        writers?.open()
    }

    /// Remembers and gives a failure at the present place.
    func fail(_ reason: EncodingFailure.Reason, _ detail: String) -> EncodingFailure {
        let failure =
            self.failure ?? EncodingFailure(reason: reason, pointer: pointer, detail: detail)
        self.failure = failure
        return failure
    }
}
