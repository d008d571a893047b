/// A session's name in a journal.
package struct SessionName: Sendable, Hashable, CustomStringConvertible {
    /// The place of its application: `/counter`, or nothing for an application at the root.
    package let mount: String
    /// The session's id: `demo`.
    package let id: String

    /// The name of one application's session.
    package init(mount: String, id: String) {
        self.mount = mount
        self.id = id
    }

    /// `/counter/sessions/demo`
    package var description: String { "\(mount)/sessions/\(id)" }
}
