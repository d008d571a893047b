internal import CLinux

/// The events that a registration waits for. Level-triggered: what is not taken is reported again.
@usableFromInline
package struct Interest: OptionSet, Sendable, Hashable {
    /// The bits of epoll's event mask.
    @usableFromInline package let rawValue: UInt32

    /// An interest of these bits of epoll's mask.
    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something can be received or accepted, or the peer has ended its side.
    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    /// There is room to send. Only while something is waiting to be sent: a level that stays
    /// true would spin the loop.
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// The peer has ended its side, told even while `read` is off (`EPOLLRDHUP`).
    package static let peerClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// One of the loops that share this descriptor is woken, not all: for listeners, which every
    /// loop adds. Such a registration can be added and removed, not modified, and takes no
    /// `peerClosed`.
    package static let exclusive = Interest(rawValue: EPOLLEXCLUSIVE.rawValue)
}
