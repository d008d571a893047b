/// The origin of a request's page, as far as answers differ by it: one byte, which a connection
/// remembers until the answer.
struct RequestOrigin: Sendable, Hashable, BitwiseCopyable {
    let number: UInt8

    /// The server shares its answers with no origin, so that none differs.
    static let unshared = RequestOrigin(number: 0)
    /// The request names no origin, or one that is not listed.
    static let unlisted = RequestOrigin(number: 1)

    /// The listed origin of this index.
    static func listed(_ index: Int) -> RequestOrigin {
        precondition((0..<OriginSharing.originLimit).contains(index), "A list of origins is short.")
        return RequestOrigin(number: UInt8(index) + 2)
    }
}
