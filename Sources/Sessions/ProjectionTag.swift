/// An id of an event or an ETag as a client sends it back: a token, and for a part of the state or a
/// view the suffix that tells it from others.
package struct ProjectionTag: Sendable, Hashable {
    /// The version that the client has.
    package let token: Token
    /// The suffix with its dot; empty for the whole state.
    package let suffix: String

    /// Nil where the text is no such tag.
    package init?(_ text: some StringProtocol) {
        guard let token = Token(text) else { return nil }
        self.token = token
        suffix = String(text.drop { $0 != "." })
    }
}
