import Reflection

/// The last encoding of a state: the next one of the same state copies the arrays that still have
/// the same storage instead of asking their elements again.
///
/// An array that nobody has changed shares its storage with the copy kept here, which is found
/// out without looking at its elements. Supposes that a value's encoding depends on the value
/// alone.
///
///     state {"counter":7,"items":[…1 KB…]} → {"counter":8,"items":[…]}: only the counter is encoded
@usableFromInline
package final class EncodingMemory {
    /// The encoder of the last time, which has the arrays; none where that failed.
    private var document: DocumentEncoder?

    /// Nothing was encoded yet.
    package init() {}

    /// The encoder of one more document: that of the last time, unless a container or a type still has it.
    func begin(_ writer: JSONWriter, maximumDepth: Int) -> DocumentEncoder {
        var last: DocumentEncoder?
        swap(&last, &document)
        if isKnownUniquelyReferenced(&last), let last, last.maximumDepth == maximumDepth,
            last.isAsNew
        {
            last.begin(writer)
            return last
        }
        var arrays = last?.arrays ?? EncodedArrays()
        arrays.begin()
        return DocumentEncoder(
            writer: writer, maximumDepth: maximumDepth, arrays: arrays, writers: ContainerPool())
    }

    /// The document has ended with these bytes; one that ends otherwise is forgotten.
    func end(_ document: consuming DocumentEncoder, _ result: [UInt8]) {
        document.changeArrays { $0.end(result) }
        self.document = document
    }
}

/// The arrays of the last encoding of a state, and of the one that is being made.
struct EncodedArrays {
    /// An array that was written, in the order of their beginnings: what it contains follows.
    private struct Kept {
        /// Kept, so that its identity stays its own.
        let array: Any
        let identity: ArrayIdentity
        let element: ObjectIdentifier
        let place: EncodingPlace
        var range: Range<Int>
        /// The next one that is not inside of it.
        var next: Int
    }

    /// Shorter ones are encoded again faster than they are looked up.
    private static let minimumByteCount = 128

    private var bytes: [UInt8] = []
    private var former: [Kept] = []
    private var present: [Kept] = []
    /// The place in `former` at which the next array is expected.
    private var cursor = 0

    /// A new encoding begins.
    mutating func begin() {
        precondition(former.isEmpty, "The encoding before has ended.")
        swap(&former, &present)
        cursor = 0
    }

    /// It has ended well, with these bytes.
    mutating func end(_ result: [UInt8]) {
        bytes = result
        former.removeAll(keepingCapacity: true)
    }

    /// What becomes of an array that is about to be written.
    enum Meeting {
        /// What it came to the last time was appended.
        case copied
        /// It is to be written; the mark is for `leave`.
        case entered(EncodingMark)
    }

    /// Appends what an array came to the last time, if it is the same one at the same place; else
    /// keeps a place for it.
    mutating func meet<Element>(
        _ array: [Element], at place: EncodingPlace, to writer: inout JSONWriter
    ) -> Meeting {
        if copy(array, at: place, to: &writer) { return .copied }
        return .entered(enter(array, at: place, from: writer.count))
    }

    private mutating func copy<Element>(
        _ array: [Element], at place: EncodingPlace, to writer: inout JSONWriter
    ) -> Bool {
        guard isExpected(Element.self, at: place),
            former[cursor].identity == ArrayIdentity(of: array)
        else { return false }
        let range = former[cursor].range
        let next = former[cursor].next
        precondition(next > cursor, "Behind an array stands what is not inside of it.")
        let shift = writer.count - range.lowerBound
        let offset = present.count - cursor
        writer.bytes.append(contentsOf: bytes[range])
        for index in cursor..<next {
            present.append(former[index])
            present[index + offset].range =
                former[index].range.lowerBound + shift..<former[index].range.upperBound + shift
            present[index + offset].next += offset
        }
        cursor = next
        return true
    }

    private mutating func enter<Element>(
        _ array: [Element], at place: EncodingPlace, from start: Int
    ) -> EncodingMark {
        let isExpected = isExpected(Element.self, at: place)
        let mark = EncodingMark(
            index: present.count, cursor: cursor,
            behind: isExpected ? former[cursor].next : nil)
        if isExpected { cursor += 1 }
        present.append(
            Kept(
                array: array, identity: ArrayIdentity(of: array),
                element: ObjectIdentifier(Element.self), place: place, range: start..<start,
                next: 0))
        return mark
    }

    /// It has been written up to here: the array that was expected is taken for its former value.
    mutating func leave(_ mark: EncodingMark, at end: Int) {
        precondition(mark.index < present.count, "An array that is left was entered.")
        let start = present[mark.index].range.lowerBound
        precondition(start <= end, "What is written grows.")
        guard end - start >= Self.minimumByteCount else {
            present.removeSubrange(mark.index...)
            cursor = mark.cursor
            return
        }
        present[mark.index].range = start..<end
        present[mark.index].next = present.count
        cursor = mark.behind ?? cursor
    }

    private func isExpected<Element>(_ type: Element.Type, at place: EncodingPlace) -> Bool {
        cursor < former.count && former[cursor].element == ObjectIdentifier(type)
            && former[cursor].place == place
    }
}

/// The depth of a value, which the limits of nesting are compared with.
struct EncodingPlace: Equatable {
    var nesting: Int
    var valueDepth: Int
}

/// An array that is being encoded.
struct EncodingMark {
    /// Its place among the present arrays.
    var index: Int
    /// The place among the former ones before it.
    var cursor: Int
    /// The former one behind its own former value, if that is known.
    var behind: Int?
}
