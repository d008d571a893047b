package import Redux

/// A hash of a session's id, which chooses the loop and the place where the session lives; different
/// in every process, so that no client can choose ids that collide.
package enum IDHash {
    private static let seed = UInt64.random(in: .min ... .max)

    /// The hash of an id's characters.
    package static func of(_ id: Span<UInt8>) -> UInt64 {
        var hash = seed
        for index in id.indices {
            let mixed = (hash ^ UInt64(id[index])) &* 0x9E37_79B9_7F4A_7C15
            hash = mixed ^ mixed >> 29
        }
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }

    /// The hash of an id.
    package static func of(_ id: SessionID) -> UInt64 {
        of(id.description.utf8Span.span)
    }
}
