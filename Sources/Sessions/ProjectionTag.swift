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

    /// The version, where the tag is of an epoch and a suffix, and not of the future; nil otherwise.
    package func version(in epoch: String, _ suffix: String, through last: UInt64) -> UInt64? {
        token.epoch == epoch && self.suffix == suffix && token.version <= last
            ? token.version : nil
    }
}
