/// An encoder that may gather the secrets of what it encodes, so that a decoder finds them again.
package protocol SecretGathering: Encoder {
    /// The text that stands for a secret in what is written; nil: `"<redacted>"` does, as always.
    func placeholder(for secret: any Sendable) -> String?
}

/// A decoder that may have the secrets which stand where it reads.
package protocol SecretFinding: Decoder {
    /// The secret that stands here, where `"<redacted>"` asks for it; nil where it does not, or
    /// none were gathered. Throws where there is none to keep.
    func keptSecret() throws -> (any Sendable)?
}
