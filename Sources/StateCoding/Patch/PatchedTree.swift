import Bytes

/// One value of a document that is being patched.
enum PatchedNode: Sendable {
    /// A range of the text.
    case text(Range<Int>)
    /// A container that was opened, by its number among those of its kind.
    case object(Int)
    case array(Int)

    /// What one takes as an element, about.
    static let byteCount = 32
}

/// A document as a tree of ranges of one text, in which containers are opened when something in
/// them is looked for, and whose changes can be undone.
///
/// What is added stands behind the document in the same text.
struct PatchedTree: Sendable {
    /// Where a value stands.
    enum Place: Sendable {
        case root
        case member(object: Int, slot: Int)
        case element(array: Int, index: Int)
    }

    private enum Change: Sendable {
        case set(Place, former: PatchedNode)
        case memberAdded(object: Int, slot: Int)
        case memberRemoved(object: Int, slot: Int)
        case elementAdded(array: Int, index: Int)
        case elementRemoved(array: Int, index: Int, former: PatchedNode)
    }

    /// The text before a patch, to come back to.
    private struct Mark {
        var text: Int
        var objects = 0
        var arrays = 0
    }

    private var text: [UInt8]
    private var root: PatchedNode
    private var objects: [PatchedMembers] = []
    private var arrays: [[PatchedNode]] = []
    private var changes: [Change] = []
    private var mark: Mark

    init(_ document: [UInt8]) {
        text = document
        root = .text(0..<document.count)
        mark = Mark(text: document.count)
    }

    /// Bytes of the document as it was given, and of all that was added.
    var textCount: Int { text.count }

    /// The memory that it takes, about.
    var heldByteCount: Int {
        let members = objects.reduce(0) { $0 + $1.count * PatchedMembers.memberByteCount }
        return text.count + arrays.reduce(members) { $0 + $1.count * PatchedNode.byteCount }
    }

    // MARK: Looking

    /// The value at a place.
    subscript(place: Place) -> PatchedNode {
        switch place {
        case .root: root
        case .member(let object, let slot): objects[object][slot].value
        case .element(let array, let index): arrays[array][index]
        }
    }

    func elementCount(_ array: Int) -> Int { arrays[array].count }

    mutating func slot(named name: String, in object: Int) -> Int? {
        let text = text
        return objects[object].slot(named: name.utf8Span.span, text.span)
    }

    /// Opens the container at a place; nil if the value is none, or is not JSON.
    mutating func open(_ place: Place) -> PatchedNode? {
        guard case .text(let range) = self[place] else { return self[place] }
        let text = text
        let inside = text.span.extracting(first: range.upperBound)
        var scanner = JSONScanner(position: range.lowerBound)
        if scanner.skip(UInt8(ascii: "{"), inside) {
            guard let members = Self.members(&scanner, inside) else { return nil }
            objects.append(members)
            set(.object(objects.count - 1), at: place)
        } else if scanner.skip(UInt8(ascii: "["), inside) {
            guard let elements = Self.elements(&scanner, inside) else { return nil }
            arrays.append(elements)
            set(.array(arrays.count - 1), at: place)
        } else {
            return nil
        }
        return self[place]
    }

    private static func members(
        _ scanner: inout JSONScanner, _ text: Span<UInt8>
    ) -> PatchedMembers? {
        var members = PatchedMembers()
        if scanner.skip(UInt8(ascii: "}"), text) { return members }
        while let name = scanner.string(text), scanner.skip(UInt8(ascii: ":"), text),
            let value = scanner.value(text)
        {
            let name = PatchedMembers.Name(range: name.range, isEscaped: name.isEscaped)
            _ = members.insert(name, .text(value), before: nil, text)
            guard scanner.skip(UInt8(ascii: ","), text) else {
                return scanner.skip(UInt8(ascii: "}"), text) ? members : nil
            }
        }
        return nil
    }

    private static func elements(
        _ scanner: inout JSONScanner, _ text: Span<UInt8>
    ) -> [PatchedNode]? {
        var elements: [PatchedNode] = []
        if scanner.skip(UInt8(ascii: "]"), text) { return elements }
        while let value = scanner.value(text) {
            elements.append(.text(value))
            guard scanner.skip(UInt8(ascii: ","), text) else {
                return scanner.skip(UInt8(ascii: "]"), text) ? elements : nil
            }
        }
        return nil
    }

    // MARK: Changing

    /// Copies a value behind the text.
    mutating func added(_ value: Span<UInt8>) -> PatchedNode {
        let start = text.count
        text.append(copying: value)
        return .text(start..<text.count)
    }

    /// Writes a member's name behind the text, as the encoder spells it.
    private mutating func addedName(_ name: Span<UInt8>) -> PatchedMembers.Name {
        let start = text.count + 1
        text.append(addingCapacity: name.count * JSONString.greatestExpansion + 2) { output in
            output.append(UInt8(ascii: "\""))
            JSONString.append(name, to: &output)
            output.append(UInt8(ascii: "\""))
        }
        return PatchedMembers.Name(
            range: start..<text.count - 1, isEscaped: JSONString.needsEscape(name))
    }

    mutating func insert(
        _ name: String, _ node: PatchedNode, in object: Int, before next: Int?
    ) {
        let name = addedName(name.utf8Span.span)
        let text = text
        let slot = objects[object].insert(name, node, before: next, text.span)
        changes.append(.memberAdded(object: object, slot: slot))
    }

    mutating func insert(_ node: PatchedNode, in array: Int, at index: Int) {
        arrays[array].insert(node, at: index)
        changes.append(.elementAdded(array: array, index: index))
    }

    mutating func removeMember(_ slot: Int, of object: Int) {
        let text = text
        objects[object].remove(slot, text.span)
        changes.append(.memberRemoved(object: object, slot: slot))
    }

    mutating func removeElement(_ index: Int, of array: Int) {
        let former = arrays[array].remove(at: index)
        changes.append(.elementRemoved(array: array, index: index, former: former))
    }

    mutating func set(_ node: PatchedNode, at place: Place) {
        changes.append(.set(place, former: self[place]))
        put(node, at: place)
    }

    private mutating func put(_ node: PatchedNode, at place: Place) {
        switch place {
        case .root: root = node
        case .member(let object, let slot): objects[object].set(node, at: slot)
        case .element(let array, let index): arrays[array][index] = node
        }
    }

    // MARK: Keeping and undoing

    /// Makes the changes so far final.
    mutating func keep() {
        changes.removeAll(keepingCapacity: true)
        mark = Mark(text: text.count, objects: objects.count, arrays: arrays.count)
    }

    /// Undoes the changes since the last ``keep()``.
    mutating func undo() {
        while let change = changes.popLast() { undo(change) }
        precondition(mark.text <= text.count, "Text is only added to.")
        text.removeSubrange(mark.text...)
        objects.removeSubrange(mark.objects...)
        arrays.removeSubrange(mark.arrays...)
    }

    private mutating func undo(_ change: Change) {
        let text = text
        switch change {
        case .set(let place, let former): put(former, at: place)
        case .memberAdded(let object, let slot): objects[object].takeBack(slot, text.span)
        case .memberRemoved(let object, let slot): objects[object].restore(slot, text.span)
        case .elementAdded(let array, let index): _ = arrays[array].remove(at: index)
        case .elementRemoved(let array, let index, let former):
            arrays[array].insert(former, at: index)
        }
    }

    // MARK: Writing

    /// The document's text; what is unchanged is copied as it stands.
    func bytes() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        write(root, to: &output)
        return output
    }

    private func write(_ node: PatchedNode, to output: inout [UInt8]) {
        switch node {
        case .text(let range): output.append(copying: text.span.extracting(range))
        case .object(let number): writeObject(objects[number], to: &output)
        case .array(let number): writeArray(arrays[number], to: &output)
        }
    }

    private func writeObject(_ members: PatchedMembers, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        var slot = members.first
        while slot >= 0 {
            let member = members[slot]
            if slot != members.first { output.append(UInt8(ascii: ",")) }
            let name = member.name.range
            let quoted = name.lowerBound - 1..<name.upperBound + 1
            output.append(copying: text.span.extracting(quoted))
            output.append(UInt8(ascii: ":"))
            write(member.value, to: &output)
            slot = member.next
        }
        output.append(UInt8(ascii: "}"))
    }

    private func writeArray(_ elements: [PatchedNode], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, node) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(node, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }
}
