import Bytes

/// Writes the operations of a patch (RFC 6902), for a place that it is led to from the root.
///
///     var writer = PatchWriter()
///     let place = writer.enter(name: "items".utf8.span)
///     writer.replace { $0 += Array("[1,2]".utf8) }
///     writer.leave(place)
///     writer.finish()         // [{"op":"replace","path":"/items","value":[1,2]}]
package struct PatchWriter {
    /// A place on the way down.
    package struct Place {
        fileprivate let pathCount: Int
    }

    /// A state of the writer that it can go back to.
    package struct Mark {
        fileprivate let byteCount: Int
    }

    /// The operations, each behind a comma or the array's bracket.
    private var bytes: [UInt8] = []
    /// The pointer to the present place (RFC 6901), escaped as the inside of a JSON string.
    private var path: [UInt8] = []

    /// No operation is written; the place is the root.
    package init() {}

    /// The bytes of the operations written so far.
    package var byteCount: Int { bytes.count }

    /// The bytes that `replace` takes here for a value of so many bytes, with the array's brackets.
    package func replacementByteCount(of valueByteCount: Int) -> Int {
        path.count + valueByteCount + 37
    }

    /// The array of all operations; empty where there are none.
    package consuming func finish() -> [UInt8] {
        precondition(path.isEmpty, "A patch ends where it began, at the root.")
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "]")) }
        return bytes
    }

    // MARK: The way

    /// Goes on to a member by its name as it stands in the text, escaped and without quotes.
    package mutating func enter(name: Span<UInt8>) -> Place {
        let place = Place(pathCount: path.count)
        path.append(UInt8(ascii: "/"))
        for index in name.indices {
            switch name[index] {
            case UInt8(ascii: "~"): path.append(copying: "~0")
            case UInt8(ascii: "/"):
                // Both ways to write a slash in a string become one in the pointer.
                if index > 0, Self.isEscaped(at: index, in: name) { path.removeLast() }
                path.append(copying: "~1")
            case let byte: path.append(byte)
            }
        }
        return place
    }

    /// Goes on to a member of a text.
    mutating func enter(member: FormSlice) -> Place {
        let name = member.name
        return enter(name: name.span)
    }

    /// Goes on to an element.
    package mutating func enter(index: Int) -> Place {
        precondition(index >= 0, "Elements are counted from 0.")
        let place = Place(pathCount: path.count)
        path.append(UInt8(ascii: "/"))
        path.append(decimal: index)
        return place
    }

    /// Goes back to the place from which that one was entered.
    package mutating func leave(_ place: Place) {
        precondition(place.pathCount <= path.count, "Places are left inside out.")
        path.removeLast(path.count - place.pathCount)
    }

    /// An odd number of backslashes stands before a place.
    private static func isEscaped(at index: Int, in name: Span<UInt8>) -> Bool {
        var first = index
        while first > 0, name[first - 1] == UInt8(ascii: "\\") { first -= 1 }
        return (index - first) % 2 == 1
    }

    /// Writes at the place of another writer, and goes back to the root.
    mutating func write(at other: PatchWriter, _ body: (inout PatchWriter) -> Void) {
        precondition(path.isEmpty, "The writer is at the root.")
        path = other.path
        body(&self)
        path.removeAll()
    }

    // MARK: Operations

    /// Removes the value here.
    package mutating func remove() {
        begin("remove")
        bytes.append(copying: #""}"#)
    }

    /// Replaces the value here by the one that `value` appends.
    package mutating func replace(by value: (inout [UInt8]) -> Void) {
        begin("replace")
        bytes.append(copying: #"","value":"#)
        value(&bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds the value that `value` appends: an element before the one that stands here, or a member.
    ///
    /// - Parameter before: the name of the member that follows, as it stands in the text; nil where
    ///   none follows, and for elements.
    package mutating func add(before name: [UInt8]?, value: (inout [UInt8]) -> Void) {
        begin("add")
        bytes.append(copying: #"","value":"#)
        value(&bytes)
        if let name {
            bytes.append(copying: #","before":""#)
            bytes += name
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func begin(_ operation: String) {
        bytes.append(bytes.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
        bytes.append(copying: #"{"op":""#)
        bytes.append(copying: operation)
        bytes.append(copying: #"","path":""#)
        bytes.append(contentsOf: path)
    }

    // MARK: Going back

    /// The present end of the operations.
    package var mark: Mark { Mark(byteCount: bytes.count) }

    /// The operations behind a mark take more than so many bytes.
    package func exceeds(_ byteCount: Int, since mark: Mark) -> Bool {
        bytes.count - mark.byteCount > byteCount
    }

    /// Strikes the operations behind a mark.
    package mutating func strike(since mark: Mark) {
        precondition(mark.byteCount <= bytes.count, "A mark stands within what is written.")
        bytes.removeLast(bytes.count - mark.byteCount)
    }
}
