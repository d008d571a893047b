/// The reason why bytes are no recording: the line, and what is wrong with it.
package struct RecordingFault: Error, Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The place in that line, a JSON Pointer (RFC 6901).
    package let pointer: String
    /// A sentence that may be shown to the client.
    package let detail: String

    package init(line: Int, pointer: String = "", _ detail: String) {
        self.line = line
        self.pointer = pointer
        self.detail = detail
    }
}
