/// An encoder that treats secrets in a way of its own.
package protocol SecretWriting: Encoder {
    /// Writes what stands for a secret.
    func write<Value>(_ secret: Secret<Value>) throws
}

/// A decoder that may have the secrets which stand where it reads.
package protocol SecretFinding: Decoder {
    /// The secret that stands here, where `"<redacted>"` asks for it; nil where it does not, or
    /// none were gathered. Throws where there is none to keep.
    func keptSecret() throws -> (any Sendable)?
}
