/// The limits and times of a client.
package struct HTTPClientConfiguration: Sendable {
    /// Until the connection (with TLS) stands.
    package var connectTimeout: Duration = .seconds(5)
    /// From `execute` to the last byte, waiting in the queue included.
    package var totalTimeout: Duration = .seconds(30)
    /// The most bytes of a body, before and after decoding.
    package var responseLimit = 8 << 20
    /// The most bytes of an answer's field section.
    package var fieldsLimit = 64 << 10
    /// The most transfers that run at once.
    package var transferLimit = 64
    /// The most transfers that wait besides; beyond them `execute` throws `overloaded`.
    package var queueLimit = 1024
    /// The most transfers of one owner that run at once.
    package var ownerTransferLimit = 8
    /// The most requests of one owner that wait besides; beyond them `execute` throws
    /// `ownerOverloaded`.
    package var ownerQueueLimit = 64
    /// The most idle connections that are kept for reuse.
    package var idleConnectionLimit = 16
    /// Sent unless the request names its own.
    package var userAgent = "statecast"

    /// The defaults.
    package init() {}
}
