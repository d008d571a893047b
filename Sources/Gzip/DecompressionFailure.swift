/// Why compressed bytes were refused. The decompressor is of no further use after it.
package enum DecompressionFailure: Error, Sendable, Hashable {
    /// The bytes are not of the format, or a checksum does not match.
    case corrupt(String)
    /// More bytes came out than the limit allows: a bomb, or simply too much.
    case tooLong(limit: Int)
    /// The input ended inside a member.
    case truncated
    /// Bytes follow the end that do not begin another gzip member (RFC 1952 §2.2).
    case trailingGarbage
}
