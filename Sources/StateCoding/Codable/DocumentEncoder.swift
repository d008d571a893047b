import Bytes
import Reflection

/// What all encoders and containers of one document share, and then those of the next one.
///
/// Containers write straight into the bytes. The stack of `frames` holds what is open; writing to
/// a container closes those opened inside it later. A container that is written to after it was
/// closed (two nested containers filled in turn) cannot be served that way: the document is
/// encoded once more with `defersNested`, where each nested container has its own bytes.
final class DocumentEncoder {
    /// The bytes that are written, and the open frames. They are taken out of the object while they
    /// are changed, which spares the run time its check that no second access overlaps (whole, 1000
    /// records: 50 % of the encoding).
    private var writerStorage: JSONWriter?
    private var frameStorage = FrameStack()
    private var holeStorage: [FormNode] = []
    /// Values that are written by encoders of their own, and the offsets at which a byte stands for
    /// each, a JSON value, in their order.
    var attachments: [(offset: Int, document: DocumentEncoder)] = []
    static let attachment = UInt8(ascii: "0")
    /// What is written stays as it is: nothing comes in later, and nothing is written once more, as
    /// a type may have caught a failure inside.
    var isSound: Bool { attachments.isEmpty && !isInterleaved && failure == nil && !hasRefusal }
    var types: TypeTable
    var maximumDepth: Int
    let defersNested: Bool

    /// The number of open brackets.
    var nesting = 0
    /// The open frames, and the bytes written, when the value now encoded was begun.
    var base = 0
    var valueStart = 0
    /// The number of values that are being encoded inside each other.
    var valueDepth = 0
    /// The `base` at which an enum's cases become an action's type path.
    var actionBase = -1
    /// The action's type path, and its length before the enum that goes on with it.
    var path = TypePath()
    var pathStart = 0

    /// The collections of the encoding before among which the next ones are looked for, in the same
    /// order, where collections are kept by themselves: the document is encoded for its form.
    var expected: ArraySlice<FormNode>?
    /// What the document has in common with those before it.
    var common: SharedCollections?
    /// Containers, which hold the document: they are let go where it is used no more.
    let writers: ContainerPool?
    /// Held by all encoders and containers that are not the pool's. Where one is kept beyond the
    /// document's end, no other document is written by the same object.
    private(set) var hold: Hold? = Hold()
    /// Has written a document, and writes the next one.
    private static let resting = RestingPlace<DocumentEncoder>()

    final class Hold {}

    var secrets = SecretTreatment.hidden

    /// The first thing that went wrong where the protocol has no way to throw.
    var failure: EncodingFailure?
    /// A value has refused to be encoded: the type around it may go on behind a name without a value.
    private var hasRefusal = false
    var isInterleaved = false

    init(
        types: TypeTable = .known, maximumDepth: Int, nesting: Int = 0, defersNested: Bool,
        writers: ContainerPool? = nil
    ) {
        writerStorage = JSONWriter()
        self.types = types
        self.maximumDepth = maximumDepth
        self.nesting = nesting
        self.defersNested = defersNested
        self.writers = writers
    }

    /// An encoder for a document that appends to `output`: one that rests, if there is one.
    private static func begin(
        appendingTo output: consuming [UInt8], maximumDepth: Int, defersNested: Bool
    ) -> DocumentEncoder {
        let document =
            (defersNested ? nil : resting.take())
            ?? DocumentEncoder(
                maximumDepth: maximumDepth, defersNested: defersNested,
                writers: defersNested ? nil : ContainerPool(forMany: true))
        document.maximumDepth = maximumDepth
        document.valueStart = output.count
        document.writerStorage = JSONWriter(appendingTo: output)
        return document
    }

    /// The document is written.
    private func rest() {
        var held: Hold?
        swap(&held, &hold)
        guard let writers, writers.sweep(WriterTarget.self, { _ in }),
            isKnownUniquelyReferenced(&held)
        else {
            writers?.close()
            return
        }
        hold = held
        if actionBase >= 0 { path = TypePath() }
        (nesting, actionBase) = (0, -1)
        holeStorage = []
        expected = nil
        common = nil
        secrets = .hidden
        hasRefusal = false
        Self.resting.swap(self)?.writers?.close()
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

    /// The collections and secrets that were kept, in the order of their placeholders, and are in no
    /// other's pieces yet.
    var holes: [FormNode] {
        @inline(__always) get { holeStorage }
        @inline(__always) _modify {
            var taken: [FormNode] = []
            swap(&taken, &holeStorage)
            defer { holeStorage = taken }
            yield &taken
        }
    }

    /// The number of bytes written, with what was there before.
    var written: Int { writerStorage?.bytes.count ?? 0 }

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init) }

    /// An encoder for a value that will be put into this one's bytes at the present end.
    ///
    /// What is put in later can be in no collection that is kept by itself: then the document is
    /// encoded plainly.
    private func attach() -> DocumentEncoder {
        guard expected == nil else {
            isInterleaved = true
            return self
        }
        let document = makeInner()
        attachments.append((written, document))
        writer.bytes.append(Self.attachment)
        return document
    }

    /// An encoder for a value inside the present one, with bytes of its own.
    func makeInner() -> DocumentEncoder {
        let document = DocumentEncoder(
            types: types, maximumDepth: maximumDepth, nesting: nesting, defersNested: defersNested)
        (document.valueDepth, document.secrets) = (valueDepth, secrets)
        return document
    }

    /// Puts the values in that were written by encoders of their own, whose collections and secrets
    /// come among those of the document.
    private func applyAttachments() throws {
        guard !attachments.isEmpty else { return }
        let bytes = writer.bytes
        var result: [UInt8] = []
        var all: [FormNode] = []
        var (copied, hole) = (0, 0)
        for (offset, document) in attachments {
            precondition(bytes[offset] == Self.attachment, "A placeholder stands for a value.")
            result.append(copying: bytes.span.extracting(copied..<offset))
            defer { adopt(document) }
            result += try document.finish()
            let count = holes.isEmpty ? 0 : bytes.placeholderCount(in: copied..<offset)
            all += holes[hole..<hole + count] + document.holes
            (copied, hole) = (offset + 1, hole + count)
        }
        attachments = []
        holes = all + holes[hole...]
        result.append(copying: bytes.span.extracting(copied...))
        writer.bytes = result
    }

    /// Takes the bytes from an offset on out of the document.
    func takeBytes(from start: Int) -> [UInt8] {
        let taken = Array(writer.bytes[start...])
        writer.bytes.removeLast(taken.count)
        return taken
    }

    /// Closes what is open and gives the bytes with all attachments in place.
    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        closeFrames(to: 0)
        if let failure { throw failure }
        if isInterleaved { throw interleaved() }
        if written == valueStart, actionBase < 0 { try writeEmpty() }
        try applyAttachments()
        if hasRefusal, written > valueStart { try check() }
        return detachBytes()
    }

    /// Gives all bytes away. A container that is still written to fails: the value was written.
    func detachBytes() -> [UInt8] {
        valueStart = -1
        return writerStorage.take()?.finish() ?? []
    }

    /// Containers are filled in turn, or a value is put in later: the document has to be encoded again.
    func interleaved() -> EncodingFailure {
        isInterleaved = true
        // Where it is not encoded again, the place is told.
        return EncodingFailure(
            reason: .refused, pointer: defersNested ? pointer : JSONPointer(),
            detail: "A type encoded after its value had ended.")
    }

    /// Remembers and gives a failure at the present place.
    func fail(_ reason: EncodingFailure.Reason, _ detail: String) -> EncodingFailure {
        let failure =
            self.failure ?? EncodingFailure(reason: reason, pointer: pointer, detail: detail)
        self.failure = failure
        return failure
    }

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
        default: writer.append(value, as: traits.form)
        }
    }

    /// Lets a value write itself.
    func encodeOwnForm<Value: Encodable>(_ value: Value) throws {
        if let failure { throw failure }
        guard (valueDepth - 8) >> 1 < maximumDepth else {
            throw fail(.tooDeep, "Values inside values, deeper than the limit allows.")
        }
        let (outerBase, outerStart) = (base, valueStart)
        (base, valueStart) = (frames.level, written)
        valueDepth += 1
        defer { (base, valueStart, valueDepth) = (outerBase, outerStart, valueDepth - 1) }
        if base == actionBase { pathStart = path.text.count }
        do { try value.encode(to: ValueEncoder(self)) } catch {
            hasRefusal = true
            throw error
        }
        closeFrames(to: base)
        if written == valueStart { try writeNothing() }
    }

    /// A type that encoded nothing is an object without members.
    private func writeNothing() throws {
        if let failure { throw failure }
        guard base == actionBase else { return try writeEmpty() }
        if path.text.count == pathStart {
            throw fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }

    /// Writes an object or an array whose inside `body` writes.
    @inline(__always)
    func encodeContainer(_ kind: EncodingFrame.Kind, _ body: () throws -> Void) throws {
        let outer = frames.level
        guard openBracket(kind) >= 0 else { throw fail(.tooDeep, "") }
        try body()
        closeFrames(to: outer)
    }

    /// The way to the value that is being written.
    var pointer: JSONPointer {
        let bytes = writer.bytes
        return frames.pointer(in: bytes.span)
    }

    /// Opens an object or an array for the value now encoded, or shares the one that is open for it;
    /// answers with its frame, −1 where there is none.
    func open(_ kind: EncodingFrame.Kind) -> Int {
        if frames.level > base { return share(kind) }
        if base == actionBase, kind == .object {
            return frames.push(.action, start: path.text.count)
        }
        refuseSecondValue()
        return failure == nil ? openBracket(kind) : -1
    }

    /// Opens a container with its bracket.
    func openBracket(_ kind: EncodingFrame.Kind) -> Int {
        guard nesting < maximumDepth else {
            _ = tooDeep()
            return -1
        }
        nesting += 1
        let start = written
        if let (opening, _) = kind.brackets { writer.bytes.append(opening) }
        return frames.push(kind, start: start)
    }

    /// Opens a container inside of another one, where `begin` has prepared for it.
    func openNested(
        _ kind: EncodingFrame.Kind, _ begin: () throws -> Void
    ) -> (document: DocumentEncoder, frame: Int) {
        do {
            try begin()
        } catch {
            return (self, -1)
        }
        let target = defersNested ? attach() : self
        return (target, target.openBracket(kind))
    }

    /// An encoder for a value inside of a container, where `begin` has prepared for it.
    func superEncoder(_ begin: () throws -> Void) -> any Encoder {
        do {
            try begin()
            return ValueEncoder(attach())
        } catch {
            // All has failed, and whatever is written goes nowhere.
            return ValueEncoder(self)
        }
    }

    private func refuseSecondValue() {
        if base == actionBase {
            _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
        } else if written != valueStart {
            _ = fail(.refused, "A type encoded two values for one.")
        }
    }

    private func share(_ kind: EncodingFrame.Kind) -> Int {
        closeFrames(to: base + 1)
        if frames.top.kind == kind { return frames.top.serial }
        _ = fail(.refused, "A type encoded both an object and an array for one value.")
        return -1
    }

    /// Makes the container's frame the innermost by closing what was opened inside it.
    func resolve(_ frame: Int) throws {
        if let failure { throw failure }
        guard let level = frames.level(of: frame) else { throw interleaved() }
        closeFrames(to: level)
    }

    /// Closes all frames from `target` up.
    @inline(__always)
    func closeFrames(to target: Int) {
        while frames.level > target { closeTop() }
    }

    private func closeTop() {
        let (kind, start) = (frames.top.kind, frames.top.start)
        frames.pop()
        if kind == .refused { return cut(from: start) }
        if let (_, closing) = kind.brackets {
            nesting -= 1
            writer.bytes.append(closing)
        }
        // What was to stand for the whole was refused.
        if kind == .payload, written == start { _ = wentOn() }
        if kind == .action, path.text.count == start {
            _ = fail(.notAnAction, "An action must be an enum with synthesized coding.")
        }
    }
}

// MARK: Runs

extension DocumentEncoder {
    /// Lets `body` write to a document that appends to `output`; puts the bytes back if it throws.
    ///
    /// - Parameter former: collections are kept by themselves, unless that cannot be done, as two
    ///   containers are filled in turn; those of the encoding before.
    /// - Returns: the collections and secrets that were kept.
    @discardableResult
    static func run(
        appendingTo output: inout [UInt8], maximumDepth: Int, _ secrets: SecretTreatment = .hidden,
        after former: ArraySlice<FormNode>? = nil, common: SharedCollections? = nil,
        _ body: (DocumentEncoder) throws -> Void
    ) throws(EncodingFailure) -> [FormNode] {
        let start = output.count
        defer { common?.endValue() }
        var (former, common, defersNested) = (former, common, false)
        while true {
            var taken: [UInt8] = []
            swap(&taken, &output)
            let document = begin(
                appendingTo: taken, maximumDepth: maximumDepth, defersNested: defersNested)
            (document.expected, document.common, document.secrets) = (former, common, secrets)
            do {
                try body(document)
                output = try document.finish()
                let holes = document.holes
                document.rest()
                return holes
            } catch {
                defer { document.writers?.close() }
                document.adoptAttachments()
                let failure =
                    document.failure ?? error as? EncodingFailure
                    ?? EncodingFailure(
                        reason: .refused, pointer: document.pointer,
                        detail: "A type refused to be encoded: \(error)")
                output = document.detachBytes()
                output.removeSubrange(start...)
                if former != nil {
                    // A run without forms either succeeds, or says what is wrong and where.
                    (former, common) = (nil, nil)
                } else if document.isInterleaved, !defersNested {
                    defersNested = true
                } else {
                    throw failure
                }
            }
        }
    }
}
