import Bytes
import Redux

/// A compact JSON text in which a byte of zero stands for each collection that is kept by itself,
/// and for each secret.
///
///     {"counter":7,"items":␀}     holes: the node of "items"
///
/// JSON has no such byte (RFC 8259 §7), so that it can be told from all others.
struct FormText {
    /// The byte that stands for a collection or a secret.
    static let placeholder: UInt8 = 0

    var bytes: [UInt8]
    /// The collections and secrets, in the order of their placeholders.
    var holes: [FormHole]

    init(bytes: [UInt8], holes: [FormHole]) {
        self.bytes = bytes
        self.holes = holes
    }

    /// A text without holes.
    init(copying span: Span<UInt8>) {
        self.init(bytes: [UInt8](copying: span), holes: [])
    }

    /// The number of bytes that are shown, with all collections in place.
    var byteCount: Int { holes.reduce(bytes.count) { $0 + $1.byteCount - 1 } }

    /// The collections alone.
    var collections: [FormHole] {
        guard holes.contains(where: \.isSecret) else { return holes }
        return holes.filter { !$0.isSecret }
    }

    /// A secret stands in it, or in one of its collections.
    var holdsSecrets: Bool { holes.contains(where: \.holdsSecrets) }

    /// The memory that the text takes, with what its collections keep.
    var heldByteCount: Int {
        holes.reduce(bytes.count + holes.count * 8) { $0 + $1.heldByteCount }
    }

    /// All of it, as one value.
    var whole: FormSlice { FormSlice(text: self, range: 0..<bytes.count, firstHole: 0) }

    /// Appends the bytes of a range with all collections in place; `firstHole` is the first one
    /// that stands in the range or behind it. Secrets read `"<redacted>"`, unless they are opened.
    func append(
        _ range: Range<Int>, firstHole: Int, to output: inout [UInt8], opening secrets: Bool = false
    ) {
        var copied = range.lowerBound
        if firstHole < holes.count {
            var hole = firstHole
            for index in range where bytes[index] == Self.placeholder {
                output.append(copying: bytes.span.extracting(copied..<index))
                holes[hole].append(to: &output, opening: secrets)
                copied = index + 1
                hole += 1
            }
        }
        output.append(copying: bytes.span.extracting(copied..<range.upperBound))
    }

    /// The number of placeholders that stand in a range.
    func holeCount(in range: Range<Int>) -> Int {
        guard !holes.isEmpty else { return 0 }
        var count = 0
        for index in range where bytes[index] == Self.placeholder { count += 1 }
        return count
    }
}

/// One value, or one member, within a text.
struct FormSlice {
    let text: FormText
    let range: Range<Int>
    /// The first of the text's holes that stands in the range or behind it.
    let firstHole: Int

    /// The collection or secret that the value is.
    var hole: FormHole? {
        text.bytes[range.lowerBound] == FormText.placeholder ? text.holes[firstHole] : nil
    }

    /// The collection, where the value is one that is kept by itself.
    var node: FormNode? {
        guard case .collection(let node) = hole else { return nil }
        return node
    }

    /// The value is a secret.
    var isSecret: Bool { hole?.isSecret ?? false }

    /// `{`, `[` or the first byte of another value.
    var opening: UInt8 { hole?.opening ?? text.bytes[range.lowerBound] }

    /// The number of bytes with all collections in place.
    var byteCount: Int {
        let count = text.holeCount(in: range)
        return text.holes[firstHole..<firstHole + count].reduce(range.count) {
            $0 + $1.byteCount - 1
        }
    }

    /// The collections and secrets that stand in it.
    var holes: ArraySlice<FormHole> {
        text.holes[firstHole..<firstHole + text.holeCount(in: range)]
    }

    /// A text of nothing but the slice.
    var copy: FormText {
        FormText(bytes: [UInt8](copying: text.bytes.span.extracting(range)), holes: Array(holes))
    }

    /// Appends the bytes with all collections in place.
    func append(to output: inout [UInt8], opening secrets: Bool = false) {
        text.append(range, firstHole: firstHole, to: &output, opening: secrets)
    }

    /// Both are the same bytes, with the same collections at the same places.
    func isEqual(to other: FormSlice) -> Bool {
        guard range.count == other.range.count else { return false }
        let bytes = text.bytes.span.extracting(range)
        guard bytes.isEqual(to: other.text.bytes.span.extracting(other.range)) else { return false }
        if text.holes.isEmpty, other.text.holes.isEmpty { return true }
        return zip(holes, other.holes).allSatisfy { $0.isEqual(to: $1) }
    }

    /// The part of the slice in a range of its text, behind so many of the slice's holes.
    func part(_ part: Range<Int>) -> FormSlice {
        precondition(
            range.lowerBound <= part.lowerBound && part.upperBound <= range.upperBound,
            "A part stands within its slice.")
        let before = text.holeCount(in: range.lowerBound..<part.lowerBound)
        return FormSlice(text: text, range: part, firstHole: firstHole + before)
    }
}

extension Span<UInt8> {
    /// Both hold the same bytes: without an early end within 64 of them, so that many are compared
    /// at once.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index < count {
            let end = Swift.min(index + 64, count)
            var difference: UInt8 = 0
            while index < end {
                difference |= self[index] ^ other[index]
                index += 1
            }
            if difference != 0 { return false }
        }
        return true
    }
}

// MARK: Elements of sets and keys of dictionaries

extension FormText {
    /// Stands before another text: by what is shown, and where that is the same, by the secrets.
    ///
    /// Secrets decide only where the order does not show.
    func precedes(_ other: FormText) -> Bool {
        let (one, two) = (expanded(opening: false), other.expanded(opening: false))
        guard one == two else { return JSONOrder.precedes(one, two) }
        return expanded(opening: true).lexicographicallyPrecedes(other.expanded(opening: true))
    }

    /// Both are shown as the same text.
    func isShown(like other: FormText) -> Bool {
        expanded(opening: false) == other.expanded(opening: false)
    }

    private func expanded(opening secrets: Bool) -> [UInt8] {
        guard !holes.isEmpty else { return bytes }
        var output: [UInt8] = []
        whole.append(to: &output, opening: secrets)
        return output
    }

    /// Writes the text at the end of a document, which takes its collections and secrets over.
    func write(to document: DocumentEncoder) {
        document.writer.append(raw: bytes.span)
        guard !holes.isEmpty else { return }
        if let forms = document.forms {
            forms.append(holes[...])
        } else {
            document.secrets.holes += holes
        }
    }
}

/// What a placeholder stands for in the text of a form.
///
///     {"name":"Ada","password":␀,"items":␀}
///     .secret("\"open sesame\""), .collection(the node of "items")
enum FormHole {
    /// A collection that is kept by itself.
    case collection(FormNode)
    /// A secret's own JSON; `"<redacted>"` is shown in its place.
    case secret(Secret<[UInt8]>)

    /// The JSON that is shown for any secret.
    private static let redacted = Array("\"\(Secret<[UInt8]>.redacted)\"".utf8)

    /// The first byte of what is shown.
    var opening: UInt8 {
        switch self {
        case .collection(let node): node.opening
        case .secret: UInt8(ascii: "\"")
        }
    }

    /// The number of bytes of what is shown.
    var byteCount: Int {
        switch self {
        case .collection(let node): node.byteCount
        case .secret: Self.redacted.count
        }
    }

    /// It is a secret.
    var isSecret: Bool {
        guard case .secret = self else { return false }
        return true
    }

    /// The memory that it takes.
    var heldByteCount: Int {
        switch self {
        case .collection(let node): node.heldByteCount
        case .secret(let json): json.value.count + 32
        }
    }

    /// It is a secret, or holds one.
    var holdsSecrets: Bool {
        switch self {
        case .collection(let node): node.holdsSecrets
        case .secret: true
        }
    }

    /// Appends what is shown, or, where secrets are opened, their own JSON.
    func append(to output: inout [UInt8], opening secrets: Bool) {
        switch self {
        case .collection(let node): node.append(to: &output, opening: secrets)
        case .secret(let json): output.append(copying: (secrets ? json.value : Self.redacted).span)
        }
    }

    /// Both are shown as the same text.
    func isEqual(to other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || node.isEqual(to: other)
        case (.secret, .secret): true
        case (.collection, .secret), (.secret, .collection): false
        }
    }

    /// Both hold the same secrets, as far as that is known without looking into them: what is shown
    /// is equal.
    func hasSameSecrets(as other: FormHole) -> Bool {
        switch (self, other) {
        case (.collection(let node), .collection(let other)):
            node === other || !node.holdsSecrets && !other.holdsSecrets
        case (.secret(let json), .secret(let other)): json == other
        case (.collection, .secret), (.secret, .collection): false
        }
    }
}
