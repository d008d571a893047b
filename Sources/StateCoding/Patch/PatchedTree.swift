import Bytes

/// One value of a document that is being patched.
enum PatchedNode: Sendable {
    /// A range of the text.
    case text(Range<Int>)
    /// A container that was opened, by its number among those of its kind.
    case object(Int)
    case array(Int)
}

/// A document as a tree of ranges of one text, in which containers are opened when something in
/// them is looked for.
///
/// What is added stands behind the document in the same text.
struct PatchedTree: Sendable {
    /// Where a value stands.
    enum Place: Sendable {
        case root
        case member(object: Int, slot: Int)
        case element(array: Int, index: Int)
    }

    /// Bytes of the document as it was given, and of all that was added.
    private(set) var text: [UInt8]
    private var root: PatchedNode
    private var objects: [PatchedMembers] = []
    private var arrays: [[PatchedNode]] = []

    init(_ document: [UInt8]) {
        text = document
        root = .text(0..<document.count)
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

    func slot(named name: String, in object: Int) -> Int? { objects[object].slot(named: name) }

    /// Opens the container at a place, unless the value is none, or is not JSON.
    mutating func open(_ place: Place) {
        guard case .text(let range) = self[place] else { return }
        let text = text
        let inside = text.span.extracting(first: range.upperBound)
        var items = ItemScanner(JSONScanner(position: range.lowerBound), inside)
        var members = PatchedMembers()
        var elements: [PatchedNode] = []
        while let item = items.next(inside) {
            guard let value = items.scanner.value(inside) else { return }
            if items.isObject {
                members.insert(
                    JSONText.bytes(inside.extracting(item.name), isEscaped: item.isEscaped),
                    spelled: item.start..<item.name.upperBound + 1, .text(value), before: nil)
            } else {
                elements.append(.text(value))
            }
        }
        guard items.isWhole else { return }
        if items.isObject {
            objects.append(members)
            set(.object(objects.count - 1), at: place)
        } else {
            arrays.append(elements)
            set(.array(arrays.count - 1), at: place)
        }
    }

    // MARK: Changing

    /// Copies a value behind the text.
    mutating func added(_ value: Span<UInt8>) -> PatchedNode {
        let start = text.count
        text.append(copying: value)
        return .text(start..<text.count)
    }

    /// Puts a member in, whose name is written behind the text as the encoder spells it.
    mutating func insert(
        _ name: String, _ node: PatchedNode, in object: Int, before next: Int?
    ) {
        let start = text.count
        var taken: [UInt8] = []
        swap(&taken, &text)
        var writer = JSONWriter(appendingTo: taken)
        writer.append(name)
        text = writer.finish()
        objects[object].insert(
            Array(name.utf8), spelled: start..<text.count, node, before: next)
    }

    mutating func insert(_ node: PatchedNode, in array: Int, at index: Int) {
        arrays[array].insert(node, at: index)
    }

    mutating func removeMember(_ slot: Int, of object: Int) {
        objects[object].remove(slot)
    }

    mutating func removeElement(_ index: Int, of array: Int) {
        arrays[array].remove(at: index)
    }

    mutating func set(_ node: PatchedNode, at place: Place) {
        switch place {
        case .root: root = node
        case .member(let object, let slot): objects[object].set(node, at: slot)
        case .element(let array, let index): arrays[array][index] = node
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
        case .object(let number):
            let members = objects[number]
            output.append(UInt8(ascii: "{"))
            var slot = members.first
            while slot >= 0 {
                let member = members[slot]
                if slot != members.first { output.append(UInt8(ascii: ",")) }
                output.append(copying: text.span.extracting(member.spelling))
                output.append(UInt8(ascii: ":"))
                write(member.value, to: &output)
                slot = member.next
            }
            output.append(UInt8(ascii: "}"))
        case .array(let number):
            output.append(UInt8(ascii: "["))
            for (index, node) in arrays[number].enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(node, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        }
    }
}
