import Bytes
import Redux

/// Finds the operations that lead from one text to another: members and elements that are equal
/// are passed over, what differs is descended into, and operations that take more bytes than the
/// value that they build give way to its replacement, from the inside out.
///
///     {"a":{"b":1},"c":[1,2]} → {"a":{"b":2},"c":[1,2,3]}
///     [{"op":"replace","path":"/a/b","value":2},{"op":"add","path":"/c/2","value":3}]
///
/// Beside these it finds those for secrets: `replace` for each secret inside of a value that the
/// patch writes, and for each that is another one than stands at its place once the patch is applied.
///
///     {"name":"Ada","password":"<redacted>"} → the same with another password: no patch, but
///     [{"op":"replace","path":"/password","value":"open sesame"}]
struct TextDifference {
    private var writer = PatchWriter()
    /// One of the texts holds secrets.
    private let holdsSecrets: Bool
    private let common: SharedCollections?
    /// The number of containers around the present values.
    private var depth = 0

    /// Containers that nest deeper than texts of ours do are replaced as a whole.
    private static let depthLimit = 128
    /// After so many steps of one collection it is clear whether all of them take far too many bytes.
    private static let sampleCount = 1024

    private init(holdsSecrets: Bool, _ common: SharedCollections? = nil) {
        self.holdsSecrets = holdsSecrets
        self.common = common
    }

    /// The operations that lead from one text to another, as they are shown, nil where both are
    /// equal; and those for secrets that follow these.
    static func change(
        from old: FormText, to new: FormText, _ common: SharedCollections? = nil
    ) -> (patch: JSONPatch?, secrets: Secret<JSONPatch>?) {
        var difference = TextDifference(
            holdsSecrets: old.holdsSecrets || new.holdsSecrets, common)
        if old.whole.isEqual(to: new.whole) {
            difference.writeChangedSecrets(from: old.whole, to: new.whole)
        } else {
            difference.change(old.whole, to: new.whole)
        }
        return difference.writer.finish()
    }

    /// The operations that put all secrets of a text in their places; nil where there are none.
    static func secrets(in text: FormText) -> Secret<JSONPatch>? {
        var difference = TextDifference(holdsSecrets: text.holdsSecrets)
        difference.writeSecrets(in: text.whole)
        return difference.writer.finish().secrets
    }

    /// Writes the operations that lead from one value to another, which differ, at the writer's
    /// place.
    private mutating func change(_ old: FormSlice, to new: FormSlice) {
        guard depth < Self.depthLimit, old.opening == new.opening else { return replace(by: new) }
        if old.isSecret || new.isSecret, old.shown() == new.shown() {
            return writeSwap(old, for: new)
        }
        let mark = writer.mark
        let limit = writer.replacementByteCount(of: new.byteCount)
        depth += 1
        let isWritten =
            if let members = pairs(old, new) {
                write(members, limit: limit)
            } else {
                writeSteps(from: old, to: new, limit: limit)
            }
        depth -= 1
        if isWritten { return }
        writer.strike(since: mark)
        replace(by: new)
    }

    private mutating func replace(by value: FormSlice) {
        writer.replace { value.append(to: &$0) }
        writeSecrets(in: value)
    }

    /// Calls with a member's value, or an element where an index is given, with the writer at its place.
    private mutating func enter(
        _ item: FormSlice, at index: Int?, _ body: (inout TextDifference, FormSlice) -> Void
    ) {
        if let index {
            let place = writer.enter(index: index)
            body(&self, item)
            return writer.leave(place)
        }
        let (bytes, name) = (item.text.bytes, item.nameRange)
        let place = writer.enter(name: bytes.span.extracting(name))
        body(&self, item.memberValue)
        writer.leave(place)
    }

    // MARK: Members in the same order

    private typealias Pairs = [(old: FormSlice, new: FormSlice)]

    /// The members of two objects that have the same names in the same order, the common case, found
    /// by reading both texts once: those whose values differ, and, where there are secrets, the others.
    ///
    /// Nil where the values are no objects in texts, or their names differ, or one of the names
    /// that lead to a difference stands there twice, or so many differ that others look for that.
    private func pairs(_ old: FormSlice, _ new: FormSlice) -> (changed: Pairs, kept: Pairs)? {
        guard old.hole == nil, new.hole == nil, old.opening == UInt8(ascii: "{") else { return nil }
        let (oldBytes, newBytes) = (old.text.bytes, new.text.bytes)
        var (changed, kept): (Pairs, Pairs) = ([], [])
        var names: [Range<Int>] = []
        names.reserveCapacity(8)
        var (one, other) = (ItemReader(old), ItemReader(new))
        while let left = one.next() {
            guard let right = other.next(),
                oldBytes.isEqual(in: left.name, to: newBytes, in: right.name)
            else { return nil }
            names.append(right.name)
            if !left.slice.isEqual(to: right.slice) {
                changed.append((left.slice, right.slice))
            } else if holdsSecrets {
                kept.append((left.slice, right.slice))
            }
        }
        guard other.next() == nil, one.isAtEnd, other.isAtEnd, changed.count * names.count <= 4096
        else { return nil }
        for (_, new) in changed {
            let name = new.nameRange
            let count = names.count { newBytes.isEqual(in: $0, to: newBytes, in: name) }
            if count > 1 { return nil }
        }
        return (changed, kept)
    }

    /// Descends into the members whose values differ; false where that takes too many bytes.
    private mutating func write(_ members: (changed: Pairs, kept: Pairs), limit: Int) -> Bool {
        let mark = writer.mark
        for (old, new) in members.changed {
            enter(new, at: nil) { $0.change(old.memberValue, to: $1) }
            if writer.exceeds(limit, since: mark) { return false }
        }
        for (old, new) in members.kept where !old.holes.isEmpty {
            enter(new, at: nil) { $0.writeChangedSecrets(from: old.memberValue, to: $1) }
        }
        return true
    }

    // MARK: Steps

    /// Writes the steps from one collection to the other; false where that takes too many bytes, or
    /// they cannot say what has changed.
    private mutating func writeSteps(
        from old: FormSlice, to new: FormSlice, limit: Int
    ) -> Bool {
        guard let old = FormNode.reading(old), let new = FormNode.reading(new),
            !old.repeatsName, !new.repeatsName
        else { return false }
        let mark = writer.mark
        let alignment = common?.alignment(old, new) ?? Alignment(old, new)
        let share = Double(Self.sampleCount) / Double(alignment.steps.count)
        for (index, step) in alignment.steps.enumerated() {
            write(step, old, new)
            if writer.exceeds(limit, since: mark) { return false }
            guard index + 1 == Self.sampleCount else { continue }
            if writer.exceeds(Int(Double(limit) * share * 1.5), since: mark) { return false }
        }
        for (index, other, count) in alignment.kept where old.holdsSecrets || new.holdsSecrets {
            writeChangedSecrets(from: old, index, to: new, other, count: count)
        }
        return true
    }

    private mutating func write(_ step: Alignment.Step, _ old: FormNode, _ new: FormNode) {
        let index = new.isObject ? nil : step.index
        switch step {
        case .remove(let former, _):
            enter(old[former], at: index) { this, _ in this.writer.remove() }
        case .add(let added, let before):
            enter(new[added], at: index) { this, value in
                this.writer.add(before: before.map { new[$0].name }) { value.append(to: &$0) }
                this.writeSecrets(in: value)
            }
        case .change(let former, let present):
            let former = new.isObject ? old[former].memberValue : old[former]
            enter(new[present], at: index) { $0.change(former, to: $1) }
        }
    }
}

// MARK: Secrets

extension TextDifference {
    /// Writes what stands in place of a secret, or the secret in place of something else, where both
    /// are shown alike.
    private mutating func writeSwap(_ old: FormSlice, for new: FormSlice) {
        let present = new.shown(opening: true)
        if old.shown(opening: true) != present { writer.replace(bySecret: present) }
    }

    /// Calls with the index of each collection and secret in a value, in their order, with the writer
    /// at its place.
    ///
    /// - Complexity: the text of the value, without what stands in its collections, times the depth
    ///   of the values that hold them.
    private mutating func forEachHole(
        in value: FormSlice, _ body: (inout TextDifference, Int) -> Void
    ) {
        guard value.hole == nil else { return body(&self, value.firstHole) }
        guard value.holeCount > 0 else { return }
        let isObject = value.opening == UInt8(ascii: "{")
        var reader = ItemReader(value)
        var index = 0
        while let item = reader.next() {
            if item.slice.holeCount > 0 {
                enter(item.slice, at: isObject ? nil : index) { $0.forEachHole(in: $1, body) }
            }
            index += 1
        }
    }

    /// Writes all secrets of a value that the patch writes here.
    private mutating func writeSecrets(in value: FormSlice) {
        guard holdsSecrets, value.holes.contains(where: { $0.holdsSecrets }) else { return }
        forEachHole(in: value) { this, hole in
            let node = value.text.holes[hole]
            if let secret = node.secret { return this.writer.replace(bySecret: secret.value) }
            for (piece, start) in zip(node.pieces, node.starts) where piece.holdsSecrets {
                for offset in 0..<piece.count {
                    this.enter(piece[offset], at: node.isObject ? nil : start + offset) {
                        $0.writeSecrets(in: $1)
                    }
                }
            }
        }
    }

    /// Writes the secrets that differ between two values that are shown alike.
    private mutating func writeChangedSecrets(from old: FormSlice, to new: FormSlice) {
        guard mayDiffer(old, new) else { return }
        forEachHole(in: new) { this, hole in
            let former = old.text.holes[old.firstHole + hole - new.firstHole]
            let present = new.text.holes[hole]
            precondition(
                (former.secret == nil) == (present.secret == nil),
                "Values that are shown alike have the same placeholders.")
            if let secret = present.secret {
                if former.secret != secret { this.writer.replace(bySecret: secret.value) }
            } else if former !== present {
                this.writeChangedSecrets(from: former, 0, to: present, 0, count: present.count)
            }
        }
    }

    /// The secrets of two values, which are shown alike, may be others.
    private func mayDiffer(_ old: FormSlice, _ new: FormSlice) -> Bool {
        holdsSecrets && !zip(old.holes, new.holes).allSatisfy { $0.hasSameSecrets(as: $1) }
    }

    /// Writes the secrets that differ between so many elements of two collections, from one of each
    /// on, that are shown alike.
    private mutating func writeChangedSecrets(
        from old: FormNode, _ here: Int, to new: FormNode, _ there: Int, count: Int
    ) {
        var done = 0
        while done < count {
            let (one, other) = (old.locate(here + done), new.locate(there + done))
            let (former, piece) = (old.pieces[one.piece], new.pieces[other.piece])
            let run = min(count - done, former.count - one.offset, piece.count - other.offset)
            let isShared = former === piece && one.offset == other.offset
            if !isShared, former.holdsSecrets || piece.holdsSecrets {
                for step in 0..<run {
                    let (old, item) = (former[one.offset + step], piece[other.offset + step])
                    guard mayDiffer(old, item) else { continue }
                    enter(item, at: new.isObject ? nil : there + done + step) {
                        $0.writeChangedSecrets(from: new.isObject ? old.memberValue : old, to: $1)
                    }
                }
            }
            done += run
        }
    }
}
