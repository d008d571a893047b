/// A patch that was not applied or joined: which operation was at fault, and why.
///
///     operation 2 at /items/9: The array has 3 elements.
package struct PatchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Reason: Sendable, Hashable {
        /// The bytes are no JSON array of objects with `op`, `path` and `value` (RFC 6902 §3, §4).
        case syntax
        /// The operation is neither `add` nor `remove` nor `replace`.
        case unsupported
        /// The document has no such place: the patch is for another one, or one of them is damaged.
        case place
        /// The patch has too many operations, or leads deeper than the limits allow.
        case limit
    }

    /// The kind of failure.
    package var reason: Reason
    /// The operation's index; nil where the bytes are no list of operations.
    package var operation: Int?
    /// The operation's path as it was written, a JSON Pointer (RFC 6901).
    package var path: String
    /// A sentence that says what did not fit.
    package var detail: String

    init(_ reason: Reason, _ detail: String, operation: Int? = nil, path: String = "") {
        self.reason = reason
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    /// The same failure, of this operation.
    func located(at operation: Int, path: String) -> PatchFailure {
        PatchFailure(reason, detail, operation: operation, path: path)
    }

    package var description: String {
        guard let operation else { return detail }
        return "operation \(operation) at \(path.isEmpty ? "the root" : path): \(detail)"
    }
}
