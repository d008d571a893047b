import Bytes
package import Redux

/// One entry as a session's log shows it.
///
///     {"version":43,"at":1795302855123,"origin":"client","by":{"id":"alice"},"key":"8e03",
///      "action":{"type":"list/added","payload":"milk"},
///      "patch":[{"op":"add","path":"/items/3","value":"milk"}]}
package struct LoggedEntry: Sendable {
    /// What an entry takes beside its bytes, about.
    static let overhead = 96

    package let version: UInt64
    /// The time at which it was decided.
    package let at: Timestamp
    /// A JSON object of everything but version, time and patch; secrets read `"<redacted>"`.
    let head: [UInt8]
    /// The patch (RFC 6902) from the state before to the state after; nil where nothing changed, and
    /// on all entries of a batch but the last.
    let patch: [UInt8]?
    /// The state behind it was visible: it is no entry inside of a batch.
    var isLast: Bool

    var byteCount: Int { head.count + (patch?.count ?? 0) + Self.overhead }

    /// Appends the entry as JSON, in one line.
    ///
    /// - Parameters:
    ///   - start: the time that `at` counts from, in milliseconds; nil for 1970.
    ///   - epoch: the first part of the session's tokens, where the entry is the first of it.
    ///   - withPatch: writes the patch, where there is one.
    package func append(
        to output: inout [UInt8], since start: Timestamp? = nil, epoch: String? = nil,
        withPatch: Bool
    ) {
        precondition(head.count > 2, "An entry has an origin.")
        output.append(contentsOf: "{\"version\":".utf8)
        output.append(decimal: version)
        let time = at.milliseconds.subtractingReportingOverflow(start?.milliseconds ?? 0)
        output.append(contentsOf: ",\"at\":\(time.overflow ? 0 : time.partialValue)".utf8)
        if let epoch { output.append(contentsOf: ",\"epoch\":\"\(epoch)\"".utf8) }
        output.append(UInt8(ascii: ","))
        output.append(contentsOf: head[1..<head.count - 1])
        if withPatch, let patch {
            output.append(contentsOf: ",\"patch\":".utf8)
            output.append(contentsOf: patch)
        }
        output.append(UInt8(ascii: "}"))
    }
}
