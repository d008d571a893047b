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

/// Takes the readiness of one registered descriptor.
package protocol ReadinessHandler: AnyObject {
    /// Called on the loop in each turn in which one of `events` holds. The registration may be
    /// removed in here. Must not block. A handler that receives by `EventLoop.receive(from:)` does
    /// so in each event with `.readable`, or removes the registration.
    func ready(_ events: Readiness, on loop: isolated EventLoop)
}

/// A descriptor's place in one loop. Once removed it means nothing: a slot used again has another
/// generation, so that an event of the former registration is dropped.
package struct Registration: Sendable, Hashable, BitwiseCopyable {
    let slot: UInt32
    let generation: UInt32

    /// That of a descriptor which no loop watches: it means nothing to any.
    package static let none = Registration(slot: Slot.none, generation: 0)

    /// Epoll's user data.
    var userData: UInt64 {
        UInt64(generation) << 32 | UInt64(slot)
    }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// The registration that an event is of.
    init(userData: UInt64) {
        slot = UInt32(truncatingIfNeeded: userData)
        generation = UInt32(truncatingIfNeeded: userData >> 32)
    }
}
