/// The two codings of HTTP that zlib makes (RFC 9110 §8.4.1).
package enum CompressionFormat: Sendable, Hashable {
    /// RFC 1952: `Content-Encoding: gzip`.
    case gzip
    /// RFC 1950, the zlib wrapper around RFC 1951: `Content-Encoding: deflate`.
    case deflate

    /// The number that zlib's init functions take: the window, plus 16 for the gzip wrapper.
    func windowBits(_ window: Int) -> Int32 {
        self == .gzip ? Int32(window) + 16 : Int32(window)
    }
}
