/// The versions that are served (RFC 9112 §2.3); a later 1.x counts as 1.1.
@usableFromInline
package enum HTTPVersion: UInt8, Sendable, Hashable, BitwiseCopyable {
    case http10, http11
}
