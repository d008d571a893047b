internal import CLinux

/// The events that have come true of a registered descriptor.
@usableFromInline
package struct Readiness: OptionSet, Sendable, Hashable {
    /// The bits of epoll's event mask.
    @usableFromInline package let rawValue: UInt32

    /// A readiness of these bits of epoll's mask.
    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something can be received or accepted; receiving tells the end, too.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to send.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has ended its side (asked for by `Interest.peerClosed`).
    package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both sides have ended, or the connection was reset. Told without being asked for, until
    /// the registration is removed.
    package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The socket has an error, which the next call on it tells. Told without being asked for.
    package static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}
