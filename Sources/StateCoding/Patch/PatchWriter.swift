import Bytes
import Redux

/// Writes the operations of a patch (RFC 6902), for a place that it is led to from the root.
///
///     var writer = PatchWriter()
///     let place = writer.enter(name: "items".utf8.span)
///     writer.replace { $0 += Array("[1,2]".utf8) }
///     writer.leave(place)
///     writer.finish().patch   // [{"op":"replace","path":"/items","value":[1,2]}]
struct PatchWriter {
    /// The operations, each behind a comma or the array's bracket.
    private var bytes: [UInt8] = []
    /// Those for secrets, which follow them.
    private var secrets: [UInt8] = []
    /// The pointer to the present place (RFC 6901), escaped as the inside of a JSON string.
    private var path: [UInt8] = []

    /// The bytes that `replace` takes here for a value of so many bytes, with the array's brackets.
    func replacementByteCount(of valueByteCount: Int) -> Int { path.count + valueByteCount + 37 }

    /// The operations; nil where there are none.
    consuming func finish() -> (patch: JSONPatch?, secrets: Secret<JSONPatch>?) {
        precondition(path.isEmpty, "A patch ends where it began, at the root.")
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "]")) }
        if !secrets.isEmpty { secrets.append(UInt8(ascii: "]")) }
        return (
            bytes.isEmpty ? nil : JSONPatch(operations: bytes),
            secrets.isEmpty ? nil : Secret(JSONPatch(operations: secrets))
        )
    }

    // MARK: The way

    /// Goes on to a member by its name as it stands in the text, escaped and without quotes; answers
    /// with the place to go back to.
    mutating func enter(name: Span<UInt8>) -> Int {
        let place = path.count
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

    /// Goes on to an element.
    mutating func enter(index: Int) -> Int {
        precondition(index >= 0, "Elements are counted from 0.")
        let place = path.count
        path.append(UInt8(ascii: "/"))
        path.append(decimal: index)
        return place
    }

    /// Goes back to the place from which another was entered.
    mutating func leave(_ place: Int) {
        precondition(place <= path.count, "Places are left inside out.")
        path.removeLast(path.count - place)
    }

    /// An odd number of backslashes stands before a place.
    private static func isEscaped(at index: Int, in name: Span<UInt8>) -> Bool {
        var first = index
        while first > 0, name[first - 1] == UInt8(ascii: "\\") { first -= 1 }
        return (index - first) % 2 == 1
    }

    // MARK: Operations

    /// Removes the value here.
    mutating func remove() {
        Self.begin("remove", at: path, in: &bytes)
        bytes.append(copying: #""}"#)
    }

    /// Replaces the value here by the one that `value` appends.
    mutating func replace(by value: (inout [UInt8]) -> Void) {
        Self.write("replace", at: path, in: &bytes, value)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Replaces the value here by a secret, once the patch is applied.
    mutating func replace(bySecret json: [UInt8]) {
        Self.write("replace", at: path, in: &secrets) { $0 += json }
        secrets.append(UInt8(ascii: "}"))
    }

    /// Adds the value that `value` appends: an element before the one that stands here, or a member.
    ///
    /// - Parameter before: the name of the member that follows, as it stands in the text; nil where
    ///   none follows, and for elements.
    mutating func add(before name: [UInt8]?, value: (inout [UInt8]) -> Void) {
        Self.write("add", at: path, in: &bytes, value)
        if let name {
            bytes.append(copying: #","before":""#)
            bytes += name
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(
        _ operation: String, at path: [UInt8], in bytes: inout [UInt8],
        _ value: (inout [UInt8]) -> Void
    ) {
        begin(operation, at: path, in: &bytes)
        bytes.append(copying: #"","value":"#)
        value(&bytes)
    }

    private static func begin(_ operation: String, at path: [UInt8], in bytes: inout [UInt8]) {
        if bytes.isEmpty { bytes.reserveCapacity(128) }
        bytes.append(bytes.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
        bytes.append(copying: #"{"op":""#)
        bytes.append(copying: operation)
        bytes.append(copying: #"","path":""#)
        bytes += path
    }

    // MARK: Going back

    /// The present ends of the operations and of those for secrets.
    var mark: (Int, Int) { (bytes.count, secrets.count) }

    /// The operations behind a mark take more than so many bytes.
    func exceeds(_ byteCount: Int, since mark: (Int, Int)) -> Bool {
        bytes.count - mark.0 > byteCount
    }

    /// Strikes the operations behind a mark.
    mutating func strike(since mark: (Int, Int)) {
        precondition(mark <= self.mark, "A mark stands within what is written.")
        bytes.removeLast(bytes.count - mark.0)
        secrets.removeLast(secrets.count - mark.1)
    }
}
