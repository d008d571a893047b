import Bytes

/// The operations that lead from one JSON text to another (RFC 6902): only `add`, `remove` and
/// `replace`, each of them carried out on what those before it have made.
///
///     [{"op":"add","path":"/items/3","value":{"text":"milk"}},{"op":"remove","path":"/note"}]
///
/// An `add` that puts a member before others of its object names the one that follows:
/// `{"op":"add","path":"/note","value":"","before":"tags"}`. RFC 6902 §4 obliges others to ignore
/// that, so that they come to an equal value; whoever obeys it comes to the same bytes.
package struct JSONPatch: Sendable, Equatable {
    /// The bytes of the array, compact, in one line.
    package let operations: [UInt8]

    /// The operations that lead from one compact JSON text of our encoder to another; nil where
    /// both are equal.
    ///
    /// A patch takes at most 37 bytes more than the text that it leads to. Takes time in proportion
    /// to both texts.
    package static func difference(from old: Span<UInt8>, to new: Span<UInt8>) -> JSONPatch? {
        TextDifference.change(
            from: FormText(bytes: [UInt8](copying: old)),
            to: FormText(bytes: [UInt8](copying: new))
        ).patch
    }
}

/// A patch that was not applied or joined: which operation was at fault, and why.
///
///     operation 2 at /items/9: The array has 3 elements.
package struct PatchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation's index; nil where the bytes are no list of operations.
    package var operation: Int?
    /// The operation's path as it was written, a JSON Pointer (RFC 6901).
    package var path: String
    /// A sentence that says what did not fit.
    package var detail: String

    init(_ detail: String, operation: Int? = nil, path: String = "") {
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    /// The same failure, of this operation.
    func located(at operation: Int, path: String) -> PatchFailure {
        PatchFailure(detail, operation: operation, path: path)
    }

    package var description: String {
        guard let operation else { return detail }
        return "operation \(operation) at \(path.isEmpty ? "the root" : path): \(detail)"
    }
}

/// The thing that a patch does to a part of its document.
package enum PartChange: Sendable, Equatable {
    case nothing
    /// Operations whose paths begin at the part.
    case patch(JSONPatch)
    /// The paths alone do not tell.
    case unknown
}

extension JSONPatch {
    /// Beyond so many pairs of a part and an operation, they are not looked at.
    private static let pairLimit = 1 << 16

    /// What the patch does to parts of its document, each by its paths alone.
    package func changes(of parts: [JSONPointer]) -> [PartChange] {
        let unknown = parts.map { _ in PartChange.unknown }
        do throws(PatchFailure) {
            let list = try PatchOperation.list(in: operations.span)
            guard list.count * parts.count <= Self.pairLimit else { return unknown }
            return parts.map { change(of: $0.tokens, by: list) }
        } catch {
            return unknown
        }
    }

    private func change(of part: [String], by list: [PatchOperation]) -> PartChange {
        var writer = JSONWriter()
        writer.beginArray()
        for operation in list {
            if operation.isInside(part) {
                operation.write(behind: part.count, in: operations, to: &writer)
            } else if operation.mayMove(part) {
                return .unknown
            }
        }
        writer.endArray()
        let bytes = writer.bytes
        return bytes.count > 2 ? .patch(JSONPatch(operations: bytes)) : .nothing
    }
}
