import Bytes

/// The text of a state, to which patches are applied one after the other (RFC 6902).
///
///     var document = PatchedDocument(Array(#"{"items":["tea"],"open":true}"#.utf8))
///     try document.apply(#"[{"op":"add","path":"/items/-","value":"milk"}]"#.utf8.span)
///     document.bytes()                        // {"items":["tea","milk"],"open":true}
///
/// A patch that the encoder made of two states, applied to the text of the first, gives the text of
/// the second, byte for byte: what no operation touches is copied as it stands. For this a new
/// member of an object stands where `"before"` says, a member of `add` that RFC 6902 §4 tells others
/// to ignore: before the member that it names, or else last.
///
/// Only containers on the way to a change are opened, by one scan each, and nothing is decoded. An
/// operation costs its path and its value, not the size of what is around it; in an array of millions of
/// elements some microseconds more.
///
/// Patches may come from a stranger: they are read as strict JSON, and within limits. The text is
/// trusted to be JSON within the limits of nesting; if it is not, patches fail and nothing traps. It
/// should be compact: an object or array that was opened is written without white space, all others
/// as they were.
package struct PatchedDocument: Sendable {
    /// Added text beyond which the document is written anew, so that memory stays in proportion.
    private static let slack = 64 * 1024

    /// Bytes of the document as it was given, and of all that was added.
    private var text: [UInt8]
    private var root: PatchedNode
    private var objects: [PatchedMembers] = []
    private var arrays: [PatchedElements] = []
    /// The text's length when it was written last.
    private var writtenCount: Int

    /// A document with this text.
    package init(_ text: [UInt8]) {
        self.text = text
        root = .text(0..<text.count)
        writtenCount = text.count
    }

    /// Applies a patch.
    ///
    /// - Throws: `PatchFailure` where the bytes are no patch, or it does not fit: some of it may be
    ///   applied, and the document is of no use any more. One that comes from this state's history means
    ///   damage, or that a patch is missing.
    package mutating func apply(_ patch: Span<UInt8>) throws(PatchFailure) {
        for (index, operation) in try PatchOperation.list(in: patch).enumerated() {
            do {
                try perform(operation, patch)
            } catch {
                throw error.located(at: index, path: operation.path.description)
            }
        }
        if text.count > 2 * writtenCount + Self.slack { self = PatchedDocument(bytes()) }
    }

    private mutating func perform(
        _ operation: PatchOperation, _ patch: Span<UInt8>
    ) throws(PatchFailure) {
        let tokens = operation.path.tokens
        let value = operation.value.map { added(patch.extracting($0)) }
        if tokens.isEmpty {
            guard let value else {
                throw PatchFailure("The whole document cannot be removed.")
            }
            return set(value, at: .root)
        }
        var place = Place.root
        for (level, token) in tokens.enumerated() {
            open(place)
            switch (self[place], isLast: level == tokens.count - 1) {
            case (.object(let object), false):
                place = .member(object: object, slot: try slot(token, of: object, level))
            case (.array(let array), false):
                place = .element(array: array, index: try index(token, of: array, level))
            case (.object(let object), true):
                try changeMember(operation, token, value, of: object, level)
            case (.array(let array), true):
                try changeElement(operation, token, value, of: array, level)
            case (.text, _):
                throw PatchFailure("The value at level \(level) is no object and no array.")
            }
        }
    }

    private mutating func slot(
        _ name: String, of object: Int, _ level: Int
    ) throws(PatchFailure) -> Int {
        if let slot = objects[object].slot(named: name) { return slot }
        throw PatchFailure("The object at level \(level) has no such member.")
    }

    /// The index of an element that is there, or of the place behind the last one.
    private func index(
        _ token: String, of array: Int, _ level: Int, orEnd: Bool = false
    ) throws(PatchFailure) -> Int {
        let count = arrays[array].count
        if orEnd, token == "-" { return count }
        guard let index = JSONPointer.index(token) else {
            throw PatchFailure("Level \(level) is an array, and the path has no index there.")
        }
        guard index < (orEnd ? count + 1 : count) else {
            throw PatchFailure("The array has \(count) elements.")
        }
        return index
    }

    private mutating func changeMember(
        _ operation: PatchOperation, _ name: String, _ value: PatchedNode?, of object: Int,
        _ level: Int
    ) throws(PatchFailure) {
        guard let value else {
            return objects[object].remove(try slot(name, of: object, level))
        }
        let next = operation.before.map { objects[object].slot(named: $0) }
        if case .some(nil) = next {
            throw PatchFailure("The object has no member that \"before\" names.")
        }
        if operation.kind == .add, objects[object].slot(named: name) == nil {
            return insert(name, value, in: object, before: next ?? nil)
        }
        let slot = try slot(name, of: object, level)
        set(value, at: .member(object: object, slot: slot))
    }

    private mutating func changeElement(
        _ operation: PatchOperation, _ token: String, _ value: PatchedNode?, of array: Int,
        _ level: Int
    ) throws(PatchFailure) {
        let isAdded = operation.kind == .add
        let index = try index(token, of: array, level, orEnd: isAdded)
        guard let value else {
            arrays[array].remove(at: index)
            return
        }
        if isAdded { return arrays[array].insert(value, at: index) }
        set(value, at: .element(array: array, index: index))
    }

    // MARK: The tree

    /// Where a value stands.
    private enum Place: Sendable {
        case root
        case member(object: Int, slot: Int)
        case element(array: Int, index: Int)
    }

    /// The value at a place.
    private subscript(place: Place) -> PatchedNode {
        switch place {
        case .root: root
        case .member(let object, let slot): objects[object].slots[slot].value
        case .element(let array, let index): arrays[array][index]
        }
    }

    /// Opens the container at a place, unless the value is none, or is not JSON.
    private mutating func open(_ place: Place) {
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
            arrays.append(PatchedElements(elements))
            set(.array(arrays.count - 1), at: place)
        }
    }

    /// Copies a value behind the text.
    private mutating func added(_ value: Span<UInt8>) -> PatchedNode {
        let start = text.count
        text.append(copying: value)
        return .text(start..<text.count)
    }

    /// Puts a member in, whose name is written behind the text as the encoder spells it.
    private mutating func insert(
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

    private mutating func set(_ node: PatchedNode, at place: Place) {
        switch place {
        case .root: root = node
        case .member(let object, let slot): objects[object].slots[slot].value = node
        case .element(let array, let index): arrays[array][index] = node
        }
    }

    // MARK: Writing

    /// The text with all patches applied; what is unchanged is copied as it stands.
    package func bytes() -> [UInt8] {
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
                let member = members.slots[slot]
                if slot != members.first { output.append(UInt8(ascii: ",")) }
                output.append(copying: text.span.extracting(member.spelling))
                output.append(UInt8(ascii: ":"))
                write(member.value, to: &output)
                slot = member.next
            }
            output.append(UInt8(ascii: "}"))
        case .array(let number):
            output.append(UInt8(ascii: "["))
            for (place, run) in arrays[number].runs.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                write(run, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        }
    }

    /// Elements that stand behind each other are copied together.
    private func write(_ elements: [PatchedNode], to output: inout [UInt8]) {
        var index = 0
        while index < elements.count {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            var node = elements[index]
            index += 1
            while case .text(let range) = node, index < elements.count,
                case .text(let next) = elements[index], next.lowerBound == range.upperBound + 1,
                text[range.upperBound] == UInt8(ascii: ",")
            {
                node = .text(range.lowerBound..<next.upperBound)
                index += 1
            }
            write(node, to: &output)
        }
    }
}
