/// The limits and times of a client.
public struct HTTPClientConfiguration: Sendable {
    /// Until the connection (with TLS) stands.
    public var connectTimeout: Duration = .seconds(5)
    /// From `execute` to the last byte, waiting in the queue included.
    public var totalTimeout: Duration = .seconds(30)
    /// The most bytes of a body, before and after decoding.
    public var responseLimit = 8 << 20
    /// The most bytes of an answer's field section.
    public var fieldsLimit = 64 << 10
    /// The most transfers that run at once.
    public var transferLimit = 64
    /// The most transfers that wait besides; beyond them `execute` throws `overloaded`.
    public var queueLimit = 1024
    /// The most transfers of one owner that run at once.
    public var ownerTransferLimit = 8
    /// The most requests of one owner that wait besides; beyond them `execute` throws
    /// `ownerOverloaded`.
    public var ownerQueueLimit = 64
    /// The most idle connections that are kept for reuse.
    public var idleConnectionLimit = 16
    /// Sent unless the request names its own.
    public var userAgent = "statecast"
    /// The file of the certificates (PEM) that are trusted; nil: the system's are.
    package var trustedFile: String?

    /// The defaults.
    public init() {}
}
