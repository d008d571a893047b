import Bytes
import Redux

/// Finds the operations that lead from one text to another: members and elements that are equal
/// are passed over, what differs is descended into, and operations that take more bytes than the
/// value that they build give way to its replacement, from the inside out.
///
///     {"a":{"b":1},"c":[1,2]} → {"a":{"b":2},"c":[1,2,3]}
///     [{"op":"replace","path":"/a/b","value":2},{"op":"add","path":"/c/2","value":3}]
struct TextDifference {
    private var writer = PatchWriter()
    /// The operations for secrets; nil where neither text holds any.
    private var secrets: SecretDifference?
    /// The number of containers around the present values.
    private var depth = 0

    /// Containers that nest deeper than texts of ours do are replaced as a whole.
    private static let depthLimit = 128

    private init(withSecrets: Bool) {
        secrets = withSecrets ? SecretDifference() : nil
    }

    /// The operations that lead from one text to another, as they are shown; nil where both are
    /// equal.
    static func patch(from old: FormText, to new: FormText) -> JSONPatch? {
        let (old, new) = (old.whole, new.whole)
        guard !old.isEqual(to: new) else { return nil }
        var difference = TextDifference(withSecrets: false)
        difference.change(old, to: new)
        let operations = difference.writer.finish()
        return operations.isEmpty ? nil : JSONPatch(operations: operations)
    }

    /// The same, with the operations for secrets that follow these.
    static func change(
        from old: FormText, to new: FormText
    ) -> (patch: JSONPatch?, secrets: Secret<JSONPatch>?) {
        guard old.holdsSecrets || new.holdsSecrets else { return (patch(from: old, to: new), nil) }
        let (old, new) = (old.whole, new.whole)
        var difference = TextDifference(withSecrets: true)
        if old.isEqual(to: new) {
            difference.keep(old, as: new)
        } else {
            difference.change(old, to: new)
        }
        let operations = difference.writer.finish()
        return (
            operations.isEmpty ? nil : JSONPatch(operations: operations),
            difference.secrets?.finish()
        )
    }

    /// Writes the operations that lead from one value to another, which differ, at the writer's
    /// place.
    private mutating func change(_ old: FormSlice, to new: FormSlice) {
        let (mark, secretMark) = (writer.mark, secrets?.mark)
        guard depth < Self.depthLimit, old.opening == new.opening else { return replace(by: new) }
        if secrets != nil, SecretDifference.isSwap(old, for: new) {
            secrets?.writeSwap(old, for: new, at: writer)
            return
        }
        depth += 1
        let limit = writer.replacementByteCount(of: new.byteCount)
        let outcome =
            if let members = MemberPairs(old, new, keepingOthers: secrets != nil) {
                write(members, limit: limit)
            } else {
                writeSteps(from: old, to: new, limit: limit)
            }
        depth -= 1
        guard outcome == .givenUp else { return }
        writer.strike(since: mark)
        if let secretMark { secrets?.strike(since: secretMark) }
        replace(by: new)
    }

    private mutating func replace(by value: FormSlice) {
        writer.replace { value.append(to: &$0) }
        secrets?.writeAll(in: value, at: writer)
    }

    /// Leaves a value that is shown as before, with the secrets in it that are others.
    private mutating func keep(_ old: FormSlice, as new: FormSlice) {
        secrets?.writeChanged(from: old, to: new, at: writer)
    }

    private enum Outcome {
        case written
        /// The operations would take too many bytes, or cannot say what has changed.
        case givenUp
    }

    /// Descends into the members whose values differ.
    private mutating func write(_ members: MemberPairs, limit: Int) -> Outcome {
        let mark = writer.mark
        for (old, new) in members.changed {
            changeMember(old, to: new)
            if writer.exceeds(limit, since: mark) { return .givenUp }
        }
        for (old, new) in members.kept { keepMember(old, as: new) }
        return .written
    }

    private mutating func keepMember(_ old: FormSlice, as new: FormSlice) {
        guard !old.holes.isEmpty else { return }
        let place = writer.enter(member: new)
        keep(old.memberValue, as: new.memberValue)
        writer.leave(place)
    }

    private mutating func changeMember(_ old: FormSlice, to new: FormSlice) {
        let place = writer.enter(member: new)
        change(old.memberValue, to: new.memberValue)
        writer.leave(place)
    }

    /// Writes the steps from one collection to the other.
    private mutating func writeSteps(
        from old: FormSlice, to new: FormSlice, limit: Int
    ) -> Outcome {
        guard let old = FormNode.reading(old), let new = FormNode.reading(new),
            !old.repeatsName, !new.repeatsName
        else { return .givenUp }
        let mark = writer.mark
        let alignment = Alignment(old, new)
        for step in alignment.steps {
            if new.isObject {
                writeMember(step, old, new)
            } else {
                writeElement(step, old, new)
            }
            if writer.exceeds(limit, since: mark) { return .givenUp }
        }
        guard secrets != nil else { return .written }
        for (index, other, count) in alignment.kept {
            secrets?.writeChanged(from: old, index, to: new, other, count: count, at: writer)
        }
        return .written
    }

    private mutating func writeElement(_ step: Alignment.Step, _ old: FormNode, _ new: FormNode) {
        let place = writer.enter(index: step.index)
        switch step {
        case .remove: writer.remove()
        case .add(let index, _):
            writer.add(before: nil) { new[index].append(to: &$0) }
            secrets?.writeAll(in: new[index], at: writer)
        case .change(let index, let other): change(old[index], to: new[other])
        }
        writer.leave(place)
    }

    private mutating func writeMember(_ step: Alignment.Step, _ old: FormNode, _ new: FormNode) {
        switch step {
        case .change(let index, let other): changeMember(old[index], to: new[other])
        case .remove(let index, _):
            let place = writer.enter(member: old[index])
            writer.remove()
            writer.leave(place)
        case .add(let index, let before): add(new[index], before: before.map { new[$0] })
        }
    }

    private mutating func add(_ member: FormSlice, before next: FormSlice?) {
        let value = member.memberValue
        let place = writer.enter(member: member)
        writer.add(before: next?.name) { value.append(to: &$0) }
        secrets?.writeAll(in: value, at: writer)
        writer.leave(place)
    }
}

/// The members of two objects that have the same names in the same order: the common case, found
/// by reading both texts once.
struct MemberPairs {
    /// The members whose values differ.
    private(set) var changed: [(old: FormSlice, new: FormSlice)] = []
    /// The others, where they are wanted.
    private(set) var kept: [(old: FormSlice, new: FormSlice)] = []

    /// Nil where the values are no objects in texts, or their names differ, or one of the names
    /// that lead to a difference stands there twice, or so many differ that others look for that.
    init?(_ old: FormSlice, _ new: FormSlice, keepingOthers: Bool) {
        guard old.hole == nil, new.hole == nil, old.opening == UInt8(ascii: "{") else { return nil }
        let (oldBytes, newBytes) = (old.text.bytes, new.text.bytes)
        var names: [Range<Int>] = []
        var (one, other) = (ItemReader(old), ItemReader(new))
        while let left = one.next() {
            guard let right = other.next(),
                oldBytes.isEqual(in: left.name, to: newBytes, in: right.name)
            else { return nil }
            names.append(right.name)
            if !left.slice.isEqual(to: right.slice) {
                changed.append((left.slice, right.slice))
            } else if keepingOthers {
                kept.append((left.slice, right.slice))
            }
        }
        guard one.isAtEnd, other.isAtEnd else { return nil }
        guard changed.count * names.count <= 4096 else { return nil }
        for (_, new) in changed {
            let name = new.nameRange
            let count = names.count { newBytes.isEqual(in: $0, to: newBytes, in: name) }
            if count > 1 { return nil }
        }
    }
}
