/// The members of two objects that have the same names in the same order: the common case, found
/// by reading both texts once.
struct MemberPairs {
    /// The members whose values differ.
    let changed: [(old: FormSlice, new: FormSlice)]
    /// The others, where they are wanted.
    let kept: [(old: FormSlice, new: FormSlice)]

    /// Nil where the values are no objects in texts, or their names differ, or one of the names
    /// that lead to a difference stands there twice.
    init?(_ old: FormSlice, _ new: FormSlice, keepingOthers: Bool) {
        guard old.hole == nil, new.hole == nil, old.opening == UInt8(ascii: "{") else { return nil }
        var changed: [(old: FormSlice, new: FormSlice)] = []
        var kept: [(old: FormSlice, new: FormSlice)] = []
        var (one, other) = (MemberReader(old), MemberReader(new))
        while true {
            let (left, right) = (one.next(), other.next())
            guard let left, let right else {
                guard left == nil, right == nil else { return nil }
                break
            }
            guard Self.haveSameName(left, right) else { return nil }
            if !left.slice.isEqual(to: right.slice) {
                changed.append((left.slice, right.slice))
            } else if keepingOthers {
                kept.append((left.slice, right.slice))
            }
        }
        self.changed = changed
        self.kept = kept
        guard one.isAtEnd, other.isAtEnd, !repeatsName(in: new) else { return nil }
    }

    private static func haveSameName(
        _ one: MemberReader.Member, _ other: MemberReader.Member
    ) -> Bool {
        let name = one.slice.text.bytes.span.extracting(one.name)
        return name.isEqual(to: other.slice.text.bytes.span.extracting(other.name))
    }

    /// A name of one that has changed is that of another member, too; both objects have the same.
    private func repeatsName(in object: FormSlice) -> Bool {
        guard let first = changed.first else { return false }
        if changed.count > 1 { return FormNode.reading(object)?.repeatsName ?? true }
        let bytes = first.new.text.bytes.span
        let wanted = bytes.extracting(first.new.nameRange)
        var reader = MemberReader(object)
        var count = 0
        while let member = reader.next() {
            if bytes.extracting(member.name).isEqual(to: wanted) { count += 1 }
        }
        return count > 1
    }
}

/// Reads the members of an object in a text, one after the other.
struct MemberReader {
    struct Member {
        let slice: FormSlice
        /// The name in the text, without quotes.
        let name: Range<Int>
    }

    private let object: FormSlice
    private var scanner = JSONScanner()
    private var hole: Int

    init(_ object: FormSlice) {
        self.object = object
        hole = object.firstHole
        scanner.position = object.range.lowerBound + 1
    }

    /// All members are read, up to the bracket.
    var isAtEnd: Bool { scanner.position == object.range.upperBound - 1 }

    /// The next member; nil behind the last one.
    mutating func next() -> Member? {
        let object = object
        let bytes = object.text.bytes.span
        guard scanner.position < object.range.upperBound - 1 else { return nil }
        if scanner.position > object.range.lowerBound + 1 {
            guard scanner.skip(UInt8(ascii: ","), bytes) else { return nil }
        }
        let start = scanner.position
        guard let (name, _) = scanner.string(bytes), scanner.skip(UInt8(ascii: ":"), bytes),
            scanner.value(bytes) != nil, scanner.position < object.range.upperBound
        else { return nil }
        let slice = FormSlice(
            text: object.text, range: start..<scanner.position, firstHole: hole)
        hole += object.text.holeCount(in: slice.range)
        return Member(slice: slice, name: name)
    }
}
