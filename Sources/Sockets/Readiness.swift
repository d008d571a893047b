/// Events of a descriptor: those that a registration waits for, or those that have come true. They are
/// level-triggered: what is not taken is reported again.
@usableFromInline
package struct Readiness: OptionSet, Sendable, Hashable {
    /// The bits of epoll's event mask, which are the same everywhere (epoll_ctl(2)).
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something can be received or accepted, or the peer has ended its side: receiving tells.
    @inlinable package static var read: Readiness { Readiness(rawValue: 0x001) }
    /// There is room to send. To be waited for only while something is waiting to be sent: a level
    /// that stays true would spin the loop.
    @inlinable package static var write: Readiness { Readiness(rawValue: 0x004) }
    /// The peer has ended its side, told even while `read` is off (`EPOLLRDHUP`).
    @inlinable package static var peerClosed: Readiness { Readiness(rawValue: 0x2000) }
    /// Both sides have ended, or the connection was reset. Told without being asked for, until
    /// the registration is removed.
    @inlinable package static var hangUp: Readiness { Readiness(rawValue: 0x010) }
    /// The socket has an error, which the next call on it tells. Told without being asked for.
    @inlinable package static var failed: Readiness { Readiness(rawValue: 0x008) }
    /// One of the loops that share this descriptor is woken, not all: for listeners, which every
    /// loop adds. Such a registration can be added and removed, not modified, and takes no
    /// `peerClosed`. Never told.
    @inlinable package static var exclusive: Readiness { Readiness(rawValue: 1 << 28) }
}

/// Takes the readiness of one registered descriptor.
package protocol ReadinessHandler: AnyObject {
    /// Called on the loop in each turn in which one of `events` holds. The registration may be
    /// removed in here. Must not block. A handler that receives by `EventLoop.receive(from:)` does
    /// so in each event with `.read`, or removes the registration.
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
